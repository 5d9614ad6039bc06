/**
 * The revisions of the Model Context Protocol, and which messages belong to it (spec 10): all that a server needs
 * to know of MCP before its first message arrives.
 */
import { isObject } from '../../core/json/json-body.js';
import { type Request } from '../json-rpc/envelope.js';

/** Those that `initialize` negotiates, newest first. */
export const legacyRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** Those that every request names for itself. */
export const modernRevisions = ['2026-07-28'] as const;
/** The one that has batches; over HTTP also the one of clients who name none. */
export const revisionWithBatches = '2025-03-26';

/** Members of `_meta`. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

/** Methods of either era. Without a slash, a method could also be an operation. */
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

/** Whether it is a revision whose requests name it themselves. */
export function isModernRevision(revision: unknown): boolean {
  return modernRevisions.some((known) => known === revision);
}

/** Whether it is a revision that `initialize` negotiates. */
export function isLegacyRevision(revision: unknown): boolean {
  return legacyRevisions.some((known) => known === revision);
}

/**
 * What `initialize` answers a client that asks for this revision: the same, or the newest that this server can
 * negotiate.
 */
export function negotiatedRevision(asked: unknown): string {
  return legacyRevisions.find((known) => known === asked) ?? legacyRevisions[0];
}

/**
 * The revision that a request names for itself, whatever that is; undefined if it names none and so is of the legacy
 * era.
 */
export function claimedRevision(params: unknown): unknown {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta[metaKeys.protocolVersion] : undefined;
}

/** Whether a message belongs to MCP, on a stream that carries other methods too. */
export function isOfMcp({ method, params }: Request): boolean {
  return methods.has(method) || claimedRevision(params) !== undefined;
}
