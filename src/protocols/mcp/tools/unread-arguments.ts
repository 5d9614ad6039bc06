import type { Failure } from '../../../core/errors.js';
import { isObject, type Unread } from '../../../core/json/json-body.js';
import type { Request } from '../../json-rpc/envelope.js';

/** Placeholder for tool arguments that were not parsed because they have too many values. */
interface UnreadArguments {
  readonly [unread]: Failure;
}

/** Registered globally: one bundle parses the message, another, loaded late, calls the tool. */
const unread: unique symbol = Symbol.for('file-editing-server: unread arguments');

/** Why the arguments were not parsed; undefined if they were. */
export function whyUnread(given: unknown): Failure | undefined {
  return isUnread(given) ? given[unread] : undefined;
}

function isUnread(given: unknown): given is UnreadArguments {
  return typeof given === 'object' && given !== null && unread in given;
}

/**
 * A tool call whose arguments have too many values. It is answered like any other call with invalid arguments, so that
 * the model sees the error, not only its client (spec 10).
 * @param request parsed from the outline of the message
 * @returns undefined for any other message
 */
export function withUnreadArguments(request: Request, refused: Unread): Request | undefined {
  const { method, params } = request;
  if (method !== 'tools/call' || !isObject(params) || refused.crowded !== '/params/arguments') return undefined;
  return { ...request, params: { ...params, arguments: { [unread]: refused } satisfies UnreadArguments } };
}
