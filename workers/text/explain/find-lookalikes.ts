/**
 * Finds text that has the letters, signs and digits of a string in the same order, with anything that is unseen in
 * between. A one-byte key stands for each of them, whatever its case and its accents; white space, accents and invisible
 * characters have none.
 */
import { findAll } from '../find/search.js';
import { bomLength } from '../separators.js';
import { lengthOfCharacter } from '../utf8.js';
import { mostCompared } from './advice.js';
import { withoutDashes, withoutSmartQuotes } from './variants.js';

/** Bytes of a text, from `start` to `end`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** How many places are looked at: the first of them is mostly the one that was meant. */
const mostPlaces = 10;
/** How many bytes of a text get their keys at once. */
const windowBytes = 262_144;
/** How far accents after a place are looked at, in bytes. */
const mostMarks = 256;
/** How much white space on either side of a place is looked at, in bytes. */
const mostUnseen = 16_384;
/** Line separators, and characters with which a line can begin or end without being visible. */
const unseen = /^[\r\n\t\v\f\u0000-\u0008\u000e-\u001f\u007f-\u009f\u034f\ufe00-\ufe0f\p{Z}\p{Cf}]*/u;

/** One of the two ways from a place in a text. */
interface Direction {
  readonly separator: RegExp;
  /** Whether a separator can be followed by no line at all. */
  readonly endsLines: boolean;
}

const forwards: Direction = { separator: /(\r\n?|\n)/, endsLines: true };
/** Everything is given from back to front. */
const backwards: Direction = { separator: /(\n\r?|\r)/, endsLines: false };

/**
 * @returns where such text begins and ends: with as many lines in front of its first visible character as the string has,
 *   as far as these are blank, and with no more of the line before them than the string takes; after the last one
 *   likewise. Otherwise replacing it would change the end of another line, or its indentation (spec 11)
 */
export function findLookalikes(text: Buffer, wanted: string): { places: readonly TextRange[]; isComplete: boolean } {
  const string = Buffer.from(wanted);
  const [own] = string.length > mostCompared ? [] : findByKeys(string, string);
  if (own === undefined) return { places: [], isComplete: true };
  const before = reversed(string.toString('utf8', 0, own.start));
  const after = string.toString('utf8', own.end);
  // A byte order mark is part of the file, not of its first line.
  const first = wanted.startsWith('\ufeff') ? 0 : bomLength(text);
  const found = findByKeys(text, string).filter(({ start, end }) => end - start <= 2 * mostCompared);
  const places = found.flatMap(({ start, end }): readonly TextRange[] => {
    const from = Math.max(first, start - mostUnseen);
    const to = Math.min(text.length, end + mostUnseen);
    const taken = edgeOf(reversed(text.toString('utf8', from, start)), from === first, before, backwards);
    const added = edgeOf(text.toString('utf8', end, to), to === text.length, after, forwards);
    if (taken === undefined || added === undefined) return [];
    return [{ start: start - Buffer.byteLength(taken), end: end + Buffer.byteLength(added) }];
  });
  return { places, isComplete: found.length < mostPlaces };
}

function reversed(text: string): string {
  return Array.from(text).reverse().join('');
}

/**
 * What the counterpart of a string takes of the text beyond its outermost visible character.
 * @param text from there on
 * @param isAll whether it goes on to where the text is over
 * @param wanted what the string has there
 * @returns undefined if lines of the string are unseen, and the place is in the middle of one
 */
function edgeOf(text: string, isAll: boolean, wanted: string, { separator, endsLines }: Direction): string | undefined {
  const [run = ''] = unseen.exec(text) ?? [];
  // Blanks, separator, blanks and so on: every line but the first takes two parts.
  const parts = run.split(separator);
  const wantedParts = wanted.split(separator);
  const [last, wantedLast] = [parts.length - 1, wantedParts.length - 1];
  const outermost = wantedParts[wantedLast] ?? '';
  const firstParts = (count: number): string => parts.slice(0, count).join('');
  if (wantedLast === 0) return outermost === '' ? '' : firstParts(1);
  const isOver = isAll && run.length === text.length;
  if (last === 0) return isOver ? run : undefined;
  const line = Math.min(last, wantedLast);
  if (outermost === '') return firstParts(line);
  const blanks = parts[line] ?? '';
  if (line < last || (isOver && !(endsLines && blanks === ''))) return firstParts(line + 1);
  // What the string has there are the blanks on the near side of this line, or a blank line that is not there.
  if (wantedLast === last && blanks.startsWith(outermost)) return firstParts(last) + outermost;
  return wantedLast === 2 && blanks !== '' ? run : firstParts(last - 1);
}

/** Where the keys of a string are in the text: from the first of them to the last. Takes 4 ms for 1 MB. */
function findByKeys(text: Buffer, string: Buffer): readonly TextRange[] {
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
    // What may be the beginning of one that goes on in the next part.
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

  /** Of the characters that begin between these places. @returns where the last of them ends */
  add(text: Buffer, start: number, end: number): number {
    const [keys, starts] = [this.#keys, this.#starts];
    let count = this.#count;
    let at = start;
    while (at < end) {
      const first = text[at] ?? 0;
      const length = lengthOfCharacter(first);
      const key = length === 1 ? (asciiKeys[first] ?? 0) : keyAt(text, at, length);
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

/** The place after the accents that belong to the character before: without them it would be another one. */
function afterMarks(text: Buffer, start: number): number {
  let end = start;
  while (end - start < mostMarks) {
    const next = end + lengthOfCharacter(text[end] ?? 0);
    if (!/^\p{M}$/u.test(text.toString('utf8', end, next))) break;
    end = next;
  }
  return end;
}

const asciiKeys = Uint8Array.from({ length: 128 }, (_, code) => computeKey(String.fromCharCode(code)));
/** Keys of the characters of the first plane seen so far, plus one. */
const otherKeys = new Uint16Array(0x10000);

function keyAt(text: Buffer, at: number, length: number): number {
  if (length === 4) return ((text[at + 2] ?? 0) ^ (text[at + 3] ?? 0)) | 0x80;
  const high = length === 2 ? (text[at] ?? 0) & 0x1f : (((text[at] ?? 0) & 0x0f) << 6) | ((text[at + 1] ?? 0) & 0x3f);
  const code = (high << 6) | ((text[at + length - 1] ?? 0) & 0x3f);
  const known = otherKeys[code] ?? 0;
  if (known !== 0) return known - 1;
  const key = computeKey(String.fromCharCode(code));
  otherKeys[code] = key + 1;
  return key;
}

/** 0: none. Characters beyond ASCII share the upper half, since matches by key are compared again. */
function computeKey(character: string): number {
  const plain = withoutDashes(withoutSmartQuotes(character));
  if (/^[\p{Z}\p{Cc}\p{Cf}\p{M}]/u.test(plain)) return 0;
  const code = (plain.normalize('NFKD').toLowerCase().codePointAt(0) ?? 0) & 0xffff;
  return code < 0x80 ? code : ((code ^ (code >> 7)) & 0x7f) | 0x80;
}
