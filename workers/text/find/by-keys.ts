/**
 * Finds text with the letters, signs and digits of a string in the same order, with anything invisible in between. A
 * one-byte key stands for each of them, regardless of case and accents; white space, accents and invisible characters
 * have none.
 */
import { lengthOfCharacter } from '../utf8.js';
import { findAll } from './search.js';

/** Bytes of a text, from `start` to `end`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** How many places are searched for: usually the first is the intended one. */
export const mostPlaces = 10;
/** Bytes of a text that get their keys at a time. */
const windowBytes = 262_144;
/** How far to look for accents after a place, in bytes. */
const mostMarks = 256;

/**
 * The first ten places of the string's keys in the text: from the first key to the last, including the last one's
 * accents. Takes 4 ms for 1 MB.
 */
export function findByKeys(text: Buffer, string: Buffer): readonly TextRange[] {
  const wanted = new Keys(string.length);
  wanted.add(string, 0, string.length);
  const { length } = wanted.found;
  const ranges: TextRange[] = [];
  if (length === 0) return ranges;
  // Of a large text, only a part of the keys is in memory at a time.
  const keys = new Keys(Math.min(text.length, windowBytes) + length);
  for (let at = 0; at < text.length && ranges.length < mostPlaces;) {
    at = keys.add(text, at, Math.min(at + windowBytes, text.length));
    for (const first of findAll(keys.found, wanted.found, true, mostPlaces - ranges.length)) {
      const last = keys.startOf(first + length - 1);
      ranges.push({ start: keys.startOf(first), end: afterMarks(text, last + lengthOfCharacter(text[last] ?? 0)) });
    }
    // The possible beginning of a match that continues in the next part.
    keys.keepLast(length - 1);
  }
  return ranges;
}

/** Keys of a part of a text, and where the characters with these keys begin. */
class Keys {
  readonly #keys: Buffer;
  readonly #starts: Uint32Array;
  #count = 0;

  constructor(most: number) {
    this.#keys = Buffer.allocUnsafe(most);
    this.#starts = new Uint32Array(most);
  }

  get found(): Buffer {
    return this.#keys.subarray(0, this.#count);
  }

  startOf(index: number): number {
    return this.#starts[index] ?? 0;
  }

  /** Add the characters that begin between these offsets. @returns the end of the last one */
  add(text: Buffer, start: number, end: number): number {
    const [keys, starts] = [this.#keys, this.#starts];
    let count = this.#count;
    let at = start;
    while (at < end) {
      const first = text[at] ?? 0;
      const length = lengthOfCharacter(first);
      const key = length === 1 ? keyOf(first) : keyAt(text, at, length);
      if (key !== 0) {
        keys[count] = key;
        starts[count++] = at;
      }
      at += length;
    }
    this.#count = count;
    return at;
  }

  keepLast(most: number): void {
    const from = Math.max(0, this.#count - most);
    this.#keys.copyWithin(0, from, this.#count);
    this.#starts.copyWithin(0, from, this.#count);
    this.#count -= from;
  }
}

/** The offset after the accents of the preceding character: without them it would be another character. */
function afterMarks(text: Buffer, start: number): number {
  let end = start;
  while (end - start < mostMarks) {
    const next = end + lengthOfCharacter(text[end] ?? 0);
    if (!/^\p{M}$/u.test(text.toString('utf8', end, next))) break;
    end = next;
  }
  return end;
}

/** Keys of the BMP characters seen so far, plus one. */
const knownKeys = new Uint16Array(0x10000);

function keyAt(text: Buffer, at: number, length: number): number {
  if (length === 4) return ((text[at + 2] ?? 0) ^ (text[at + 3] ?? 0)) | 0x80;
  const high = length === 2 ? (text[at] ?? 0) & 0x1f : (((text[at] ?? 0) & 0x0f) << 6) | ((text[at + 1] ?? 0) & 0x3f);
  return keyOf((high << 6) | ((text[at + length - 1] ?? 0) & 0x3f));
}

function keyOf(code: number): number {
  const known = knownKeys[code] ?? 0;
  if (known !== 0) return known - 1;
  const key = computeKey(String.fromCharCode(code));
  knownKeys[code] = key + 1;
  return key;
}

/** 0: none. Non-ASCII characters share the upper half, since matches by key are compared again. */
function computeKey(character: string): number {
  const plain = withoutDashes(withoutSmartQuotes(character));
  if (/^[\p{Z}\p{Cc}\p{Cf}\p{M}]/u.test(plain)) return 0;
  const code = (plain.normalize('NFKD').toLowerCase().codePointAt(0) ?? 0) & 0xffff;
  return code < 0x80 ? code : ((code ^ (code >> 7)) & 0x7f) | 0x80;
}

export function withoutSmartQuotes(text: string): string {
  return text.replaceAll(/[\u2018-\u201b\u2032\u00b4]/g, "'").replaceAll(/[\u00ab\u00bb\u201c-\u201f\u2033]/g, '"');
}

export function withoutDashes(text: string): string {
  return text.replaceAll(/[\u2010-\u2015\u2212]/g, '-');
}
