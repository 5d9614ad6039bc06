/**
 * Restores request ids beyond 2^53, which clients derive from a clock or 64 random bits: JSON.parse rounds them, and
 * the client would not recognize the answer.
 */
import { isObject, type Parsed, type Unread } from '../../core/json/json-body.js';

/** Literals of integers that a JavaScript number may not represent. */
const longNumbers = /"(?:id|requestId)"\s*:\s*(-?\d{16,})(?![\d.eE])/g;
/**
 * Messages up to this size are searched whole. A larger one is searched at both ends, where its id is: the texts in
 * between may be overwritten (json-body.ts) and would take long.
 */
const mostSearched = 262_144;
const endSearched = 4_096;

/**
 * The same value with such ids as bigints: request ids, and the id in `notifications/cancelled`.
 * @param bytes of the body
 */
export function withExactIds(parsed: Parsed | Unread, bytes: Buffer): Parsed | Unread {
  const value = parsed.ok ? parsed.value : parsed.outline;
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!messages.some((message) => isRounded(idOf(message)))) return parsed;
  const written = longNumbersIn(bytes, messages.map(idOf));
  const exact = (rounded: unknown): unknown => {
    const digits = written.get(rounded) ?? [];
    const next = digits.length > 1 ? digits.pop() : digits[0];
    return next === undefined ? rounded : BigInt(next);
  };
  const mended = messages.map((message) =>
    isRounded(idOf(message)) ? withId(message, exact(idOf(message))) : message,
  );
  const exactly = Array.isArray(value) ? mended : mended[0];
  return parsed.ok ? { ok: true, value: exactly } : { ...parsed, outline: exactly };
}

function isRounded(id: unknown): boolean {
  return typeof id === 'number' && Number.isInteger(id) && !Number.isSafeInteger(id);
}

/** The id of a request, or of the request that a cancellation names. */
function idOf(message: unknown): unknown {
  if (!isObject(message)) return undefined;
  return isCancellation(message) ? message.params['requestId'] : message['id'];
}

function withId(message: unknown, id: unknown): unknown {
  if (!isObject(message)) return message;
  return isCancellation(message) ? { ...message, params: { ...message.params, requestId: id } } : { ...message, id };
}

interface Cancellation extends Readonly<Record<string, unknown>> {
  readonly params: Readonly<Record<string, unknown>>;
}

function isCancellation(message: Readonly<Record<string, unknown>>): message is Cancellation {
  return message['method'] === 'notifications/cancelled' && isObject(message['params']);
}

/**
 * @param ids of the messages
 * @returns the literals by their rounded value, last ones first; only those that can be attributed with certainty
 */
function longNumbersIn(bytes: Buffer, ids: readonly unknown[]): ReadonlyMap<unknown, string[]> {
  const text =
    bytes.length <= mostSearched
      ? bytes.toString('latin1')
      : `${bytes.toString('latin1', 0, endSearched)}\n${bytes.toString('latin1', bytes.length - endSearched)}`;
  const written = new Map<unknown, string[]>();
  for (const [, digits = ''] of text.matchAll(longNumbers)) {
    const alike = written.get(Number(digits));
    if (alike === undefined) written.set(Number(digits), [digits]);
    else alike.push(digits);
  }
  const messages = new Map<unknown, number>();
  for (const id of ids) messages.set(id, (messages.get(id) ?? 0) + 1);
  for (const [rounded, alike] of written) {
    alike.reverse();
    if (alike.length !== messages.get(rounded) && new Set(alike).size > 1) written.delete(rounded);
  }
  return written;
}
