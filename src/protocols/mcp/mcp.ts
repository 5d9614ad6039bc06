/**
 * The Model Context Protocol, both eras (spec 10), without transport or state: an answer depends only on its request.
 * Handwritten, since loading the official library takes longer (120 to 157 ms) than starting this server. Loaded with
 * the first MCP message.
 */
import type { CallContext } from '../../call/call.js';
import { isObject } from '../../core/json/json-body.js';
import { partBytes, type JsonPart } from '../../call/parts.js';
import { availableOperations } from '../../config/offer.js';
import { resultAnswer, type Request } from '../json-rpc/envelope.js';
import { McpMethods, type McpContext, type MethodParts } from './methods.js';
import {
  badMeta,
  invalidEnvelope,
  invalidParams,
  methodNotFound,
  tooLongForBatch,
  unsupportedRevision,
  type Refusal,
} from './refusals.js';
import { declaredRevision, isModernRevision, metaKeys } from './revisions.js';
import { mostMessageBytes } from '../../core/thread/task.js';

/** A result as JSON in pieces, or a refusal; null if no answer is due. */
export type Reply = { readonly result: readonly JsonPart[] } | Refusal | null;

export interface Mcp {
  /** Whether the answer may be as large as the largest file. */
  isRead(request: Request): boolean;
  /** Why a request is refused regardless of its method, or null. */
  refuse(request: Request): Refusal | null;
  /** Answer an accepted request. Tools are called before this returns. Never rejects. */
  answer(request: Request, context: McpContext): Promise<Reply>;
}

/** The MCP of a server, shared by all streams and connections. @param parts.call executes a tool */
export function createMcp(parts: MethodParts): Mcp {
  const { legacy, modern, modernMembers } = new McpMethods(parts);
  const tools = availableOperations(parts.config);

  return {
    isRead({ method, params }) {
      if (method !== 'tools/call' || !isObject(params) || typeof params['name'] !== 'string') return false;
      return tools.get(params['name'])?.writes === false;
    },

    refuse({ id, method, params }) {
      if (id === null) return invalidEnvelope('id must be a string or a number.');
      const declared = declaredRevision(params);
      if (declared !== undefined) return refuseRevision(declared) ?? (id === undefined ? null : refuseMeta(params));
      // The method exists only in the modern era, so the request lacks its revision.
      if (modern.has(method) && !legacy.has(method)) return badMeta(`_meta must hold ${metaKeys.protocolVersion}`);
      return null;
    },

    async answer({ id, method: name, params: given }, context) {
      // Some clients send null for no params.
      const params = given ?? {};
      const isModern = declaredRevision(params) !== undefined;
      const methods = isModern ? modern : legacy;
      const method = methods.get(name);
      if (method === undefined)
        return id === undefined ? null : methodNotFound(name, methods.keys(), tools, isModern ? 404 : 200);
      if (!isObject(params)) return invalidParams('params must be an object');
      const common = isModern ? [modernMembers] : [];
      const mostBytes = roomForMembers(id, common, context);
      const members = await method(params, { ...context, mostBytes });
      if (members === null || !isMembers(members)) return members;
      // A tool call has already taken effect, and respects the limit itself.
      if (name !== 'tools/call' && bytesOf(members) > mostBytes) return tooLongForBatch();
      return { result: inBraces([...members, ...common]) };
    },
  };
}

/** Bytes that a message leaves for the members of a result. @param common members of every result */
function roomForMembers(
  id: Request['id'],
  common: readonly string[],
  { mostBytes = mostMessageBytes }: CallContext,
): number {
  return mostBytes - bytesOf(resultAnswer(id ?? null, inBraces(common)));
}

function bytesOf(parts: readonly JsonPart[]): number {
  return parts.reduce((sum, part) => sum + partBytes(part), 0);
}

/** For messages that name their revision, as in the modern era. */
function refuseRevision(declared: unknown): Refusal | null {
  if (typeof declared !== 'string') return badMeta(`${metaKeys.protocolVersion} must be a string`);
  return isModernRevision(declared) ? null : unsupportedRevision(declared);
}

/** For requests of the modern era; notifications need not declare client capabilities. */
function refuseMeta(params: unknown): Refusal | null {
  const meta = isObject(params) ? params['_meta'] : undefined;
  const capabilities = isObject(meta) ? meta[metaKeys.clientCapabilities] : undefined;
  return isObject(capabilities) ? null : badMeta(`_meta must hold ${metaKeys.clientCapabilities}, an object`);
}

function isMembers(members: readonly JsonPart[] | Refusal): members is readonly JsonPart[] {
  return Array.isArray(members);
}

/** Each member starts with a comma. */
function inBraces(members: readonly JsonPart[]): JsonPart[] {
  const [first, ...rest] = members;
  return typeof first === 'string' ? [`{${first.slice(1)}`, ...rest, '}'] : ['{}'];
}
