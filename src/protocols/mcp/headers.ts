/** Headers of MCP over HTTP, which mirror parts of the body for intermediaries (revision 2026-07-28). */
import { oneLine } from '../../core/names/nearest.js';
import { isObject } from '../../core/json/json-body.js';
import type { RequestHead } from '../../transports/http/site.js';
import { type Request } from '../json-rpc/envelope.js';
import { badMeta, headerMismatch, unsupportedRevision, type Refusal } from './refusals.js';
import { declaredRevision, isLegacyRevision, isModernRevision, metaKeys } from './revisions.js';

type Headers = Pick<RequestHead, 'mcpRevision' | 'mcpMethod' | 'mcpName'>;

/**
 * Why a request contradicts the revision in its header, or null. Checked first, since all other rules depend on the
 * revision.
 */
export function refuseOtherRevision({ params }: Request, { mcpRevision }: Headers): Refusal | null {
  const declared = declaredRevision(params);
  const contradicts = typeof declared === 'string' && mcpRevision !== undefined && mcpRevision !== declared;
  return contradicts ? mismatch('MCP-Protocol-Version', mcpRevision, declared) : null;
}

/** Why messages with these headers are refused, or null. */
export function refuseUnknownRevision({ mcpRevision }: Headers): Refusal | null {
  const known = mcpRevision === undefined || isLegacyRevision(mcpRevision) || isModernRevision(mcpRevision);
  return known ? null : unsupportedRevision(mcpRevision);
}

/** Why a request contradicts its other headers, or null. */
export function refuseHeaders(request: Request, headers: Headers): Refusal | null {
  if (declaredRevision(request.params) === undefined) return refuseLegacy(request, headers);
  return isNotification(request) ? null : refuseMirrors(request, headers);
}

/**
 * The revision does not define headers for notifications. A call without an id does not count as one: it is executed,
 * and intermediaries may rely on its headers.
 */
function isNotification({ id, method }: Request): boolean {
  return id === undefined && method.startsWith('notifications/');
}

/** In the legacy era the header names the negotiated revision or is absent. */
function refuseLegacy(request: Request, headers: Headers): Refusal | null {
  const { mcpRevision } = headers;
  if (!isModernRevision(mcpRevision)) return refuseUnknownRevision(headers);
  if (request.method === 'initialize')
    return headerMismatch(`MCP-Protocol-Version says '${mcpRevision}', which has no initialize`);
  return isNotification(request)
    ? null
    : badMeta(`_meta must hold ${metaKeys.protocolVersion}, as MCP-Protocol-Version does`);
}

function refuseMirrors({ method, params }: Request, { mcpRevision, mcpMethod, mcpName }: Headers): Refusal | null {
  if (mcpRevision === undefined) return mismatch('MCP-Protocol-Version', mcpRevision, String(declaredRevision(params)));
  if (mcpMethod !== method) return mismatch('Mcp-Method', mcpMethod, method);
  const name = method === 'tools/call' && isObject(params) ? params['name'] : undefined;
  if (typeof name !== 'string') return null;
  return mcpName !== undefined && decoded(mcpName) === name ? null : mismatch('Mcp-Name', mcpName, name);
}

function mismatch(header: string, given: string | undefined, expected: string): Refusal {
  const instead = given === undefined ? 'is missing' : `says '${oneLine(given)}'`;
  return headerMismatch(`${header} ${instead}, but the body says '${oneLine(expected)}'`);
}

/** Names that are invalid in a header arrive as Base64 of their UTF-8. */
function decoded(header: string): string {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(header) ?? [];
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString();
}
