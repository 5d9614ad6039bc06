/**
 * Ids of requests beyond 2^53, as clients make them of a clock or of 64 random bits: JSON.parse rounds them, and nobody
 * would know the answer for his own.
 */
import { isObject, type Parsed, type Unread } from '../json-body.js';

/** Whole numbers that a number of JavaScript may not hold, as they are written. */
const longNumbers = /"(id|requestId)"\s*:\s*(-?\d{16,})(?![\d.eE])/g;

/**
 * The same, with such ids as a bigint: of requests, and of what `notifications/cancelled` is about.
 * @param bytes of the body
 */
export function withExactIds(parsed: Parsed | Unread, bytes: Buffer): Parsed | Unread {
  if (!parsed.ok) return parsed;
  let written: ReadonlyMap<number, ReadonlySet<string>> | undefined;
  const exact = (value: unknown): unknown => {
    if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
    written ??= longNumbersIn(bytes);
    const [only, ...others] = written.get(value) ?? [];
    // Two that are rounded to the same: it cannot be told here which of them is whose.
    return only === undefined || others.length > 0 ? value : BigInt(only);
  };
  const { value } = parsed;
  if (Array.isArray(value)) return { ok: true, value: value.map((message) => mended(message, exact)) };
  const message = mended(value, exact);
  return message === value ? parsed : { ok: true, value: message };
}

function mended(message: unknown, exact: (value: unknown) => unknown): unknown {
  if (!isObject(message)) return message;
  const { id, method, params } = message;
  if (method === 'notifications/cancelled' && isObject(params)) {
    const requestId = exact(params['requestId']);
    return requestId === params['requestId'] ? message : { ...message, params: { ...params, requestId } };
  }
  const exactId = exact(id);
  return exactId === id ? message : { ...message, id: exactId };
}

/** By the number that JSON.parse makes of them. */
function longNumbersIn(bytes: Buffer): ReadonlyMap<number, ReadonlySet<string>> {
  const written = new Map<number, Set<string>>();
  for (const [, , digits = ''] of bytes.toString('latin1').matchAll(longNumbers)) {
    const rounded = Number(digits);
    const same = written.get(rounded) ?? new Set();
    written.set(rounded, same.add(digits));
  }
  return written;
}
