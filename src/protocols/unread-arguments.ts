import type { Failure } from '../errors.js';
import { isObject, type Unread } from '../json/json-body.js';
import type { Request } from './envelope.js';

/** Stands for the arguments of a tool that were not read, since they hold too much. */
export class UnreadArguments {
  constructor(readonly refused: Failure) {}
}

/**
 * A call of a tool whose arguments hold too much, to be answered as one with any other bad arguments, so that the model
 * is told and not only its client (contract 10).
 * @param request read from the outline of the message
 * @returns undefined for any other message
 */
export function withUnreadArguments(request: Request, refused: Unread): Request | undefined {
  const { method, params } = request;
  if (method !== 'tools/call' || !isObject(params) || refused.crowded !== '/params/arguments') return undefined;
  return { ...request, params: { ...params, arguments: new UnreadArguments(refused) } };
}
