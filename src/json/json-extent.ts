/** What a large body holds, judged by its brackets, commas and quotes alone: 10 MB take 17 ms. */
import { stringEnd } from './json-string.js';
import { leastLargeText } from './large-text.js';
import { Outlines } from './outline.js';

/**
 * How many values a larger body may hold, containers included, which bounds its depth as well. Measured with 10 MB of
 * the most expensive shapes (numbers of 150 digits, and distinct keys in one object): 64,000 take 50 to 60 ms from bytes
 * to refusal. Keys of 150 bytes each took 80, and on a slower machine 190; so what is long in them counts as well. The
 * largest edit allowed has 4,000, a batch of 1,000 reads 6,000.
 */
export const maxValues = 64_000;

/**
 * How deep a large text can be. Objects: the message, `params` and `arguments` of MCP, an edit. Arrays: a batch, edits.
 */
export const deepestLargeText = { objects: 4, arrays: 2 };

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** For each so many bytes of a key, it counts as one value more. The keys of the operations have at most 17. */
const keyBytesPerValue = 32;

export interface Extent {
  readonly values: number;
  /** How many of those are counted for keys that are long. */
  readonly forLongKeys: number;
  /**
   * Where the keys start that lead to the place at which the limit was passed (from the root, at most two; -1 is an
   * array).
   */
  readonly crowded: readonly number[];
  readonly outlines: Outlines;
  readonly largeTexts: readonly Span[];
}

/** Of a string, including its quotes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Count the values by their commas and opening brackets; null if brackets or strings do not close. */
export function measure(bytes: Buffer, names: ReadonlySet<string>): Extent | null {
  let values = 1;
  let arrays = 0;
  let objects = 0;
  let forLongKeys = 0;
  let lastString = 0;
  let lastEnd = 0;
  // Where the current keys of the two outermost containers start; -1 in an array.
  const keys = [-1, -1];
  const outlines = new Outlines();
  let crowded: readonly number[] | undefined;
  const largeTexts: Span[] = [];
  let isMember = false;
  for (let at = 0; at < bytes.length; at++) {
    const depth = arrays + objects;
    switch (bytes[at]) {
      case quote: {
        const start = at;
        const end = stringEnd(bytes, at);
        at = Math.abs(end);
        if (at === bytes.length) return null;
        if (isMember && end - start > leastLargeText && mayBeLarge(arrays, objects)) {
          if (names.has(keyAt(bytes, lastString))) largeTexts.push({ start, end: end + 1 });
        }
        isMember = false;
        lastString = start;
        lastEnd = at;
        break;
      }
      case colon:
        isMember = true;
        forLongKeys += ((lastEnd - lastString) / keyBytesPerValue) | 0;
        if (depth === 1 || depth === 2) keys[depth - 1] = lastString;
        break;
      case comma:
        isMember = false;
        outlines.comma(depth);
        if (++values + forLongKeys > maxValues) crowded ??= keys.slice(0, Math.max(depth - 1, 0));
        break;
      case openArray:
      case openObject:
        isMember = false;
        outlines.open(at, depth);
        if (++values + forLongKeys > maxValues) crowded ??= keys.slice(0, Math.max(depth - 1, 0));
        if (depth < 2) keys[depth] = -1;
        if (bytes[at] === openArray) arrays++;
        else objects++;
        break;
      case closeArray:
      case closeObject:
        if ((bytes[at] === closeArray ? --arrays : --objects) < 0) return null;
        outlines.close(at, depth - 1);
        break;
    }
  }
  if (arrays !== 0 || objects !== 0) return null;
  return { values: values + forLongKeys, forLongKeys, crowded: crowded ?? [], outlines, largeTexts };
}

function mayBeLarge(arrays: number, objects: number): boolean {
  return arrays <= deepestLargeText.arrays && objects <= deepestLargeText.objects;
}

/** A key as a part of a JSON pointer, at most 40 characters of it. */
export function keyAt(bytes: Buffer, start: number): string {
  const key = bytes.subarray(start + 1, Math.min(Math.abs(stringEnd(bytes, start)), start + 161)).toString();
  return key.slice(0, 40).replaceAll('~', '~0').replaceAll('/', '~1');
}
