/** Cursors: places in the order of a search, from which a later call goes on. They stay valid when files change. */
import { OperationError } from '../../src/core/errors.js';
import { jsonOf } from '../../src/core/json/json-of.js';

/** The cursor of a place. @param kind tells apart the orders that a place can be in */
export function cursorOf(kind: string, place: readonly string[]): string {
  return Buffer.from(jsonOf([kind, ...place])).toString('base64url');
}

/**
 * The place of a cursor.
 * @param kind as given to `cursorOf`
 * @param length of the place
 * @throws OperationError invalid_params for anything but a cursor of this kind
 */
export function placeOf(cursor: string, kind: string, length: number): readonly string[] {
  const [of, ...place] = read(cursor);
  if (of === kind && place.length === length) return place;
  throw new OperationError('invalid_params', 'Invalid params: /cursor belongs to no answer of this search', {
    details:
      'Send the cursor of the last answer unchanged, with the same other parameters, or leave it out to begin anew.',
  });
}

/** The texts in it; none if it is no cursor. */
function read(cursor: string): readonly string[] {
  try {
    const texts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(texts) && texts.every((text) => typeof text === 'string')) return texts;
  } catch {
    // Not JSON.
  }
  return [];
}

/** Order by code point, which is not that of JavaScript where characters have two units. */
export function byCodePoint(a: string, b: string): number {
  if (/[\ud800-\udfff]/.test(a + b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
