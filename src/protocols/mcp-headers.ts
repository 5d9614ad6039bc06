/** The headers of the MCP over HTTP, which repeat parts of the body for those who route requests (revision 2026-07-28). */
import type { RequestHead } from '../transports/http.js';
import { isObject, type Request } from './envelope.js';
import { badMeta, echo, headerMismatch, unsupportedRevision, type Refusal } from './mcp-refusals.js';
import { claimedRevision, isLegacyRevision, isModernRevision, metaKeys } from './mcp-revisions.js';

type Headers = Pick<RequestHead, 'mcpRevision' | 'mcpMethod' | 'mcpName'>;

/** Why the headers of a request do not fit its body, or null. Nothing is asked of notifications but no contradiction. */
export function refuseHeaders(request: Request, headers: Headers): Refusal | null {
  return claimedRevision(request.params) === undefined
    ? refuseLegacy(request, headers)
    : (refuseRevision(request, headers) ?? refuseMirrors(request, headers));
}

/** The header names what `initialize` has negotiated, or nothing. */
function refuseLegacy({ id, method }: Request, { mcpRevision }: Headers): Refusal | null {
  if (mcpRevision === undefined || isLegacyRevision(mcpRevision)) return null;
  if (!isModernRevision(mcpRevision)) return unsupportedRevision(mcpRevision);
  if (method === 'initialize')
    return headerMismatch(`MCP-Protocol-Version says '${mcpRevision}', which has no initialize`);
  return id === undefined ? null : badMeta(`_meta must hold ${metaKeys.protocolVersion}, as MCP-Protocol-Version does`);
}

function refuseRevision({ id, params }: Request, { mcpRevision }: Headers): Refusal | null {
  const claimed = claimedRevision(params);
  const silent = id === undefined && mcpRevision === undefined;
  // What is no string is not for a header to judge.
  if (silent || typeof claimed !== 'string' || mcpRevision === claimed) return null;
  return mismatch('MCP-Protocol-Version', mcpRevision, claimed);
}

function refuseMirrors({ id, method, params }: Request, { mcpMethod, mcpName }: Headers): Refusal | null {
  if (id === undefined) return null;
  if (mcpMethod !== method) return mismatch('Mcp-Method', mcpMethod, method);
  const name = method === 'tools/call' && isObject(params) ? params['name'] : undefined;
  if (typeof name !== 'string') return null;
  return mcpName !== undefined && decoded(mcpName) === name ? null : mismatch('Mcp-Name', mcpName, name);
}

function mismatch(header: string, given: string | undefined, expected: string): Refusal {
  const instead = given === undefined ? 'is missing' : `says '${echo(given)}'`;
  return headerMismatch(`${header} ${instead}, but the body says '${echo(expected)}'`);
}

/** Names that fit no header come as Base64 of their UTF-8. */
function decoded(header: string): string {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(header) ?? [];
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString();
}
