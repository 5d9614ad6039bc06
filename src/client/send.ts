/** One request and its outcome. Runs in browsers too: nothing here needs Node. */
import type { ErrorFacts, ServerError } from './error.js';

/** The subset of `fetch` in use. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * - `done`: a result, or 304.
 * - `refused`: by the server, or by fetch before sending; a retry is pointless.
 * - `not executed`: nothing was done; a retry may succeed.
 * - `lost`: it may or may not have been executed.
 */
export type Ending =
  | { readonly kind: 'done'; readonly result: unknown }
  | {
      readonly kind: 'refused' | 'not executed' | 'lost';
      readonly error: ErrorFacts;
      /** Retry-After in milliseconds. */
      readonly pauseMs: number;
    };

/** @throws the signal's reason if it aborted the request */
export async function sendOnce(
  fetch: Fetch,
  url: string,
  init: RequestInit & { signal: AbortSignal },
): Promise<Ending> {
  let response: Response | undefined;
  try {
    response = await fetch(url, init);
    if (response.status === 304) return { kind: 'done', result: undefined };
    const body: unknown = await response.json();
    return response.status === 200 ? { kind: 'done', result: body } : refusal(response, serverError(body));
  } catch (cause) {
    init.signal.throwIfAborted();
    // A body that is not JSON comes from an intermediary, not from the server.
    if (response !== undefined && cause instanceof SyntaxError) return refusal(response, undefined);
    const path = new URL(url, 'http://localhost').pathname;
    const mistake = unsendable(cause);
    if (mistake !== undefined) {
      return { kind: 'refused', error: { message: `Nothing was sent to ${path}: ${mistake}`, cause }, pauseMs: 0 };
    }
    const kind = wasNeverSent(cause) ? 'not executed' : 'lost';
    return { kind, error: { message: `No answer from ${path}${reasonOf(cause)}`, cause }, pauseMs: 0 };
  }
}

function refusal({ status, headers }: Response, error: ServerError | undefined): Ending {
  const pauseMs = 1000 * (Number(headers.get('retry-after')) || 0);
  const requestId = headers.get('x-request-id') ?? undefined;
  if (error !== undefined) {
    // The server answers 503 only to requests that it did not begin.
    const kind = status === 503 ? 'not executed' : 'refused';
    return { kind, error: { ...error, status, requestId }, pauseMs };
  }
  const message = `Status ${String(status)}, not from a file editing server`;
  const perhapsExecuted = status >= 500 || status < 400;
  return { kind: perhapsExecuted ? 'lost' : 'refused', error: { message, status, requestId }, pauseMs };
}

function serverError(body: unknown): ServerError | undefined {
  const error = member(body, 'error');
  const code = member(error, 'code');
  const message = member(error, 'message');
  const data = member(error, 'data');
  if (typeof code !== 'number' || typeof message !== 'string' || typeof data !== 'object') return undefined;
  return { code, message, data: { ...data } };
}

/** @returns Node's message for a header or port that its fetch refuses; browsers give none */
function unsendable(failure: unknown): string | undefined {
  const cause = member(failure, 'cause');
  const code = member(cause, 'code');
  const message = member(cause, 'message');
  const isMistake = code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED' || message === 'bad port';
  return isMistake ? String(message) : undefined;
}

/** Whether the connection failed. Node reports it; browsers do not. */
function wasNeverSent(failure: unknown): boolean {
  const code = codeOf(failure);
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'UND_ERR_CONNECT_TIMEOUT';
}

/** Node's code for a failed connection, such as ECONNREFUSED; browsers hide it. */
function reasonOf(failure: unknown): string {
  const code = codeOf(failure);
  return typeof code === 'string' ? ` (${code})` : '';
}

function codeOf(failure: unknown): unknown {
  return member(member(failure, 'cause'), 'code');
}

/** A member of a JSON value; undefined if the value is not an object or lacks the member. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
