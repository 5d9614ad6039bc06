/**
 * What a reader takes for the same, or does not see. As differences with names, each of which can be levelled in a text;
 * and all of them at once, as one byte for each letter, sign and digit, to find what looks like a string.
 *
 * Separators of lines are `\n`, `\r\n` and `\r` (spec 4). Blanks are all other white space of Unicode, with tabs.
 */
import { findAll } from '../find/search.js';
import { lengthOfCharacter } from '../utf8.js';

/** All blanks but the space and the tab. */
const otherBlank = /[\v\f\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;
/** What takes no room: format and control characters, and variation selectors. */
const invisible = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u034f\ufe00-\ufe0f\p{Cf}]/gu;
/** Characters with which a line can begin or end without being visible. */
const unseen = /^(?:[\t\v\f\u0000-\u0008\u000e-\u001f\u007f-\u009f\u034f\ufe00-\ufe0f\p{Z}\p{Cf}])$/u;

/** Whether a character is invisible and separates no lines. */
export function isUnseen(character: string): boolean {
  return unseen.test(character);
}

interface Difference {
  /** What an error calls it. */
  readonly name: string;
  /** Rewrites a text so that this difference disappears. */
  readonly level: (text: string) => string;
}

export const caseName = 'upper and lower case';
export const separatorName = 'line endings';
export const normalizationName = 'Unicode normalization (NFC or NFD)';
/** With one of these differences, two words can match parts of a single one. */
export const joinedNames: readonly string[] = ['spaces within the lines', 'line breaks'];

/**
 * In the order in which they are levelled; the later ones level more and are named only where they are needed. Each
 * takes time proportional to the length of the text, whatever it says: no expression can begin inside a run.
 */
const differences: readonly Difference[] = [
  { name: normalizationName, level: (text) => text.normalize('NFC') },
  { name: 'invisible characters', level: (text) => text.replaceAll(invisible, '') },
  { name: 'kinds of spaces', level: (text) => text.replaceAll(otherBlank, ' ') },
  {
    name: 'smart quotes',
    level: (text) =>
      text.replaceAll(/[\u00ab\u00bb\u00b4\u2018-\u201f\u2032\u2033]/g, (quote) => withoutTypography(quote)),
  },
  { name: 'dashes', level: (text) => text.replaceAll(/[\u2010-\u2015\u2212]/g, '-') },
  { name: caseName, level: (text) => text.toLowerCase() },
  { name: separatorName, level: (text) => text.replaceAll(/\r\n?/g, '\n') },
  { name: 'trailing white space', level: (text) => text.replaceAll(/(?<![ \t])[ \t]+(?=[\r\n]|$)/g, '') },
  { name: 'indentation', level: (text) => text.replaceAll(/(?<=^|[\r\n])[ \t]+/g, '') },
  { name: 'tabs or spaces within the lines', level: (text) => text.replaceAll(/[ \t]+/g, ' ') },
  { name: 'blank lines', level: (text) => text.replaceAll(/(?<=^|[\r\n])(?:[ \t]*(?:\r\n?|\n))+/g, '') },
  { name: 'spaces within the lines', level: (text) => text.replaceAll(/[ \t]+/g, '') },
  { name: 'line breaks', level: (text) => text.replaceAll(/[ \t\r\n]+/g, '') },
  {
    name: 'accents or compatibility forms',
    level: (text) => text.normalize('NFKD').replaceAll(/[\p{M}\p{Cf}\s]/gu, ''),
  },
];

/**
 * The fewest differences that explain why the two are not the same.
 * @returns undefined if none of the known differences explains it
 */
export function nameDifferences(wanted: string, found: string): readonly string[] | undefined {
  const same = (needed: readonly Difference[]): boolean => levelled(wanted, needed) === levelled(found, needed);
  let needed = differences;
  if (!same(needed)) return undefined;
  for (const difference of differences.toReversed()) {
    const fewer = needed.filter((other) => other !== difference);
    if (same(fewer)) needed = fewer;
  }
  return needed.map(({ name }) => name);
}

function levelled(text: string, needed: readonly Difference[]): string {
  return needed.reduce((level, difference) => difference.level(level), text);
}

/** With the quotes and dashes of a keyboard in place of typographic ones. */
export function withoutTypography(text: string): string {
  return text
    .replaceAll(/[\u2018-\u201b\u2032\u00b4]/g, "'")
    .replaceAll(/[\u00ab\u00bb\u201c-\u201f\u2033]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-');
}

/** Bytes of a text, from `start` to `end`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** How many places are returned: the first of them is mostly the one that was meant. */
export const mostPlaces = 10;
/** How many bytes of a text get their keys at once. */
const windowBytes = 1_048_576;
/** How far accents after a place are looked at, in bytes. */
const mostMarks = 256;

/**
 * Finds text that has the letters, signs and digits of a string in the same order, with anything in between. One pass
 * over the text, 4 ms for 1 MB, makes a one-byte key for each of them; white space, accents and invisible characters have
 * none.
 * @returns where such text is, from its first key to its last, accents included; empty for a string without keys
 */
export function findByKeys(text: Buffer, string: Buffer): readonly TextRange[] {
  const wanted = keysOf(string);
  if (wanted.length === 0) return [];
  const found = findKeys(text, wanted);
  // They may overlap, so that the next one begins before one ends.
  const edges = found.flatMap((first) => [first, first + wanted.length - 1]).sort((a, b) => a - b);
  const places = placesOfKeys(text, edges);
  const placeOf = (edge: number): number => places[edges.indexOf(edge)] ?? 0;
  return found.map((first) => {
    const last = placeOf(first + wanted.length - 1);
    return { start: placeOf(first), end: afterMarks(text, last + lengthOfCharacter(text[last] ?? 0)) };
  });
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

function keysOf(text: Buffer): Buffer {
  const keys = Buffer.allocUnsafe(text.length);
  return keys.subarray(0, putKeys(text, 0, text.length, keys, 0).count);
}

/** Which keys of the text are the first of those wanted. Only a part of them is in memory at a time. */
function findKeys(text: Buffer, wanted: Buffer): readonly number[] {
  const found: number[] = [];
  const keys = Buffer.allocUnsafe(Math.min(text.length, windowBytes) + wanted.length);
  let passed = 0;
  let count = 0;
  for (let at = 0; at < text.length && found.length < mostPlaces;) {
    ({ at, count } = putKeys(text, at, Math.min(at + windowBytes, text.length), keys, count));
    for (const first of findAll(keys.subarray(0, count), wanted, true, mostPlaces - found.length)) {
      found.push(passed + first);
    }
    // What may be the beginning of one that goes on in the next part.
    const dropped = Math.max(0, count - wanted.length + 1);
    keys.copyWithin(0, dropped, count);
    passed += dropped;
    count -= dropped;
  }
  return found;
}

/** Append the keys of the characters that begin before `end` to those that are there. @returns where both end */
function putKeys(text: Buffer, at: number, end: number, keys: Buffer, count: number): { at: number; count: number } {
  while (at < end) {
    const length = lengthOfCharacter(text[at] ?? 0);
    const key = keyAt(text, at, length);
    if (key !== 0) keys[count++] = key;
    at += length;
  }
  return { at, count };
}

/**
 * Where in the text the characters with these keys lie. Looked for again, since noting the place of every key would
 * take four times the memory of the text.
 * @param wanted numbers of keys, ascending
 */
function placesOfKeys(text: Buffer, wanted: readonly number[]): readonly number[] {
  const places: number[] = [];
  let count = 0;
  for (let at = 0; at < text.length && places.length < wanted.length;) {
    const length = lengthOfCharacter(text[at] ?? 0);
    if (keyAt(text, at, length) !== 0) {
      // A string of a single key begins and ends with it.
      while (wanted[places.length] === count) places.push(at);
      count += 1;
    }
    at += length;
  }
  return places;
}

function keyAt(text: Buffer, at: number, length: number): number {
  return length === 1 ? (asciiKeys[text[at] ?? 0] ?? 0) : keyOf(text, at, length);
}

const asciiKeys = Uint8Array.from({ length: 128 }, (_, code) => computeKey(String.fromCharCode(code)));
/** Keys of the characters of the first plane seen so far, plus one. */
const otherKeys = new Uint16Array(0x10000);

function keyOf(text: Buffer, at: number, length: number): number {
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
  const plain = withoutTypography(character);
  if (/^[\p{Z}\p{Cc}\p{Cf}\p{M}]/u.test(plain)) return 0;
  const code = (plain.normalize('NFKD').toLowerCase().codePointAt(0) ?? 0) & 0xffff;
  return code < 0x80 ? code : ((code ^ (code >> 7)) & 0x7f) | 0x80;
}
