/** Cursors: places in the order of a search, from which a later call continues. They stay valid when files change. */
import { OperationError } from '../../src/core/errors.js';
import { jsonOf } from '../../src/core/json/json-of.js';
import { plainNames } from '../../src/core/names/path.js';
import { hashOf } from '../text/text-file.js';

/** The search that a cursor belongs to: everything that decides what is found, and in which order. */
export interface Search {
  /** Distinguishes the orders that a place can refer to. */
  readonly kind: string;
  /** Hash of everything that decides what is found. */
  readonly hash: string;
}

/** @param what the patterns and switches that decide what is found */
export function searchOf(kind: string, path: string, what: readonly unknown[]): Search {
  const found = jsonOf([plainNames(path), ...what.map((each) => each ?? null)]);
  return { kind, hash: hashOf(Buffer.from(found)).slice(0, 8) };
}

/** The cursor of a place. */
export function cursorOf({ kind, hash }: Search, place: readonly string[]): string {
  return Buffer.from(jsonOf([kind, hash, ...place])).toString('base64url');
}

/**
 * The place of a cursor.
 * @param length of the place
 * @throws OperationError invalid_params for anything but a cursor of this search
 */
export function placeOf(cursor: string, { kind, hash }: Search, length: number): readonly string[] {
  const [of, search, ...place] = read(cursor);
  if (of === kind && search === hash && place.length === length) return place;
  throw new OperationError('invalid_params', 'Invalid params: /cursor belongs to no answer of this search', {
    details:
      'Send the cursor of the last answer unchanged, with the same patterns, path and switches, or leave it out to begin anew.',
  });
}

/** The texts in a cursor; none if it is not one. */
function read(cursor: string): readonly string[] {
  try {
    const texts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(texts) && texts.every((text) => typeof text === 'string')) return texts;
  } catch {
    // Not JSON.
  }
  return [];
}

/** Order by code point. JavaScript's own order differs for characters of two units. */
export function byCodePoint(a: string, b: string): number {
  if (/[\ud800-\udfff]/.test(a + b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
