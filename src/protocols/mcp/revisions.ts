/**
 * The revisions of the Model Context Protocol, and how to recognize its messages (spec 10): all that the server needs
 * before its first MCP message.
 */
import { isObject } from '../../core/json/json-body.js';
import { type Request } from '../json-rpc/envelope.js';

/** Negotiated by `initialize`, newest first. */
export const legacyRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** Named by every request. */
export const modernRevisions = ['2026-07-28'] as const;
/** The only revision with batches; over HTTP, also assumed for clients that name none. */
export const revisionWithBatches = '2025-03-26';

/** Members of `_meta`. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

/** Methods of either era. A name without a slash could also be an operation. */
const methods: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'logging/setLevel',
  'notifications/initialized',
  'notifications/cancelled',
]);

export const methodNames: readonly string[] = [...methods].filter((name) => !name.startsWith('notifications/'));

/** Whether requests of this revision name it themselves. */
export function isModernRevision(revision: unknown): boolean {
  return modernRevisions.some((known) => known === revision);
}

/** Whether `initialize` negotiates this revision. */
export function isLegacyRevision(revision: unknown): boolean {
  return legacyRevisions.some((known) => known === revision);
}

/** The revision that `initialize` agrees on: the requested one, or the newest that can be negotiated. */
export function negotiatedRevision(asked: unknown): string {
  return legacyRevisions.find((known) => known === asked) ?? legacyRevisions[0];
}

/** The revision that a request names, unchecked; undefined for the legacy era. */
export function declaredRevision(params: unknown): unknown {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta[metaKeys.protocolVersion] : undefined;
}

/** Whether a message belongs to MCP, on a stream shared with plain JSON-RPC. */
export function isOfMcp({ method, params }: Request): boolean {
  return methods.has(method) || declaredRevision(params) !== undefined;
}
