import type { Failure } from '../../../core/errors.js';
import { isObject, type Unread } from '../../../core/json/json-body.js';
import type { Request } from '../../json-rpc/envelope.js';

/** Stands for the arguments of a tool that were not read, since they hold too much. */
interface UnreadArguments {
  readonly [unread]: Failure;
}

/** The same in every bundle: the message is read in one, and the tool is called in another, which is loaded late. */
const unread: unique symbol = Symbol.for('file-editing-server: unread arguments');

/** Why the arguments of a tool were not read; undefined if they were. */
export function whyUnread(given: unknown): Failure | undefined {
  return isUnread(given) ? given[unread] : undefined;
}

function isUnread(given: unknown): given is UnreadArguments {
  return typeof given === 'object' && given !== null && unread in given;
}

/**
 * A call of a tool whose arguments hold too much, to be answered as one with any other bad arguments, so that the model
 * is told and not only its client (spec 10).
 * @param request read from the outline of the message
 * @returns undefined for any other message
 */
export function withUnreadArguments(request: Request, refused: Unread): Request | undefined {
  const { method, params } = request;
  if (method !== 'tools/call' || !isObject(params) || refused.crowded !== '/params/arguments') return undefined;
  return { ...request, params: { ...params, arguments: { [unread]: refused } satisfies UnreadArguments } };
}
