/** Answers of the REST front: common headers, and the form of failures. */
import { etagOf } from './conditions.js';
import { statusOf, type Failure } from '../../core/errors.js';
import type { Answer, RequestHead } from '../../transports/http/site.js';
import { corsHeaders } from '../../access/origins.js';
import { jsonOf } from '../../core/json/json-of.js';
import { errorObject } from '../../call/result-json.js';

export const jsonType = 'application/json; charset=utf-8';

/** Path of MCP. */
export const mcpPath = '/mcp';
/** All paths that serve MCP. */
export const mcpPaths: readonly string[] = [mcpPath, `${mcpPath}/`];

/** Seconds after which a client refused because of load or a restart may retry. */
const retryAfterS = '1';

/** Visible ASCII only: it is echoed in a header and in the log. */
const saneRequestId = /^[\x21-\x7e]{1,128}$/;
const processId = Math.random().toString(36).slice(2, 10).padEnd(8, '0');
let madeIds = 0;

/** The id of a request: its own if valid, otherwise a new one. */
export function requestIdOf(head: RequestHead): string {
  if (head.requestId === undefined || !saneRequestId.test(head.requestId)) {
    madeIds += 1;
    head.requestId = `${processId}-${madeIds.toString(36)}`;
  }
  return head.requestId;
}

/** An answer with the headers common to all. */
export function answer(head: RequestHead, status: number, headers: readonly string[], body: Answer['body']): Answer {
  const all = headers.concat('X-Request-Id', requestIdOf(head));
  if (head.allowedOrigin !== undefined) all.push(...corsHeaders(head.allowedOrigin));
  return { status, headers: all, body, close: false };
}

/**
 * The answer to a request that failed (spec 5.5).
 * @param about operation and file, if known
 */
export function failureAnswer(
  head: RequestHead,
  failed: Failure,
  about: { operation?: string; filename?: string } = {},
  headers: readonly string[] = [],
): Answer {
  const status = statusOf(failed);
  const all = ['Content-Type', jsonType, ...headers];
  if (status === 503) all.push('Retry-After', retryAfterS);
  if (failed.data?.current_hash !== undefined) all.push(...etagOf(failed.data.current_hash));
  const error = errorObject(failed, about);
  // MCP clients understand only JSON-RPC errors.
  const answered = mcpPaths.includes(head.path) ? { jsonrpc: '2.0', id: null, error } : { error };
  const body = Buffer.from(jsonOf(answered));
  return { ...answer(head, status, all, body), close: failed.kind === 'shutting_down' };
}
