/**
 * Sets of characters, and which ones an expression's escapes and letters stand for. Unicode data comes from the engine,
 * so a pattern finds what the same JavaScript expression with the flag `u` or `iu` finds.
 */
import { caseClasses } from '../../text/find/case-folding.js';

/** Code points as ascending ranges that do not touch: first, last, first, last and so on. */
export type CharacterSet = readonly number[];

const lastCodePoint = 0x10ffff;

export const noCharacters: CharacterSet = [];
export const digits: CharacterSet = rangesOf('09');
export const wordCharacters: CharacterSet = rangesOf('09AZ__az');
export const whiteSpace: CharacterSet = rangesOf(
  '\t\r  \u00a0\u00a0\u1680\u1680\u2000\u200a\u2028\u2029\u202f\u202f\u205f\u205f\u3000\u3000\ufeff\ufeff',
);
/** What `.` does not stand for. */
const lineTerminators: CharacterSet = rangesOf('\n\n\r\r\u2028\u2029');
export const dot: CharacterSet = complement(lineTerminators);

/** @param ends the first and the last character of each range */
function rangesOf(ends: string): CharacterSet {
  return Array.from(ends, (character) => character.codePointAt(0) ?? 0);
}

export function contains(set: CharacterSet, code: number): boolean {
  let low = 0;
  let high = set.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((set[2 * middle + 1] ?? 0) < code) low = middle + 1;
    else high = middle;
  }
  return (set[2 * low] ?? Infinity) <= code;
}

export function complement(set: CharacterSet): CharacterSet {
  const ranges: number[] = [];
  let next = 0;
  for (let index = 0; index < set.length; index += 2) {
    const first = set[index] ?? 0;
    if (first > next) ranges.push(next, first - 1);
    next = (set[index + 1] ?? 0) + 1;
  }
  if (next <= lastCodePoint) ranges.push(next, lastCodePoint);
  return ranges;
}

export function union(sets: readonly CharacterSet[]): CharacterSet {
  const [only] = sets;
  if (only !== undefined && sets.length === 1) return only;
  const sorted = sets.flatMap(pairsOf).sort(([a], [b]) => a - b);
  const ranges: number[] = [];
  let end = -2;
  for (const [first, last] of sorted) {
    if (first > end + 1) {
      ranges.push(first, last);
      end = last;
    } else if (last > end) {
      ranges[ranges.length - 1] = last;
      end = last;
    }
  }
  return ranges;
}

function pairsOf(set: CharacterSet): (readonly [number, number])[] {
  return Array.from({ length: set.length >> 1 }, (_, index) => [set[2 * index] ?? 0, set[2 * index + 1] ?? 0] as const);
}

const asciiCapitals = [0x41, 0x5a] as const;
const asciiSmall = [0x61, 0x7a] as const;
/** The bit that differs between capital and small letters. */
const caseBit = 0x20;
/** The only ones beyond ASCII that differ from an ASCII letter only in case. */
const asciiKin = [
  { letter: 0x4b, kin: 0x212a },
  { letter: 0x53, kin: 0x17f },
] as const;

/** A set with all characters that differ from one of its own only in case. */
export function withCaseVariants(set: CharacterSet): CharacterSet {
  return (set.at(-1) ?? 0) < 0x80 ? withAsciiVariants(set) : withAllVariants(set);
}

function withAsciiVariants(set: CharacterSet): CharacterSet {
  const variants: CharacterSet[] = [set];
  for (const [first, last] of pairsOf(set)) {
    const move = (letters: readonly [number, number], by: number): void => {
      const [from, to] = [Math.max(first, letters[0]), Math.min(last, letters[1])];
      if (from <= to) variants.push([from + by, to + by]);
    };
    move(asciiCapitals, caseBit);
    move(asciiSmall, -caseBit);
  }
  const letters = union(variants);
  return union([letters, ...asciiKin.filter(({ letter }) => contains(letters, letter)).map(({ kin }) => [kin, kin])]);
}

function withAllVariants(set: CharacterSet): CharacterSet {
  const touched = caseClasses().filter((codes) => codes.some((code) => contains(set, code)));
  return union([set, ...touched.flat().map((code) => [code, code])]);
}

const planes = 17;
const planeSize = 0x10000;
const surrogates = { first: 0xd800, last: 0xdfff } as const;

const knownProperties = new Map<string, CharacterSet>();
/** A property has up to a few hundred ranges. */
const mostKnown = 20;

/**
 * What an escape such as `\p{Lu}` stands for. Takes 10 ms the first time.
 * @returns undefined if there is no such property
 */
export function propertySet(escape: string, ignoreCase: boolean): CharacterSet | undefined {
  const key = `${escape}${ignoreCase ? 'i' : ''}`;
  const known = knownProperties.get(key);
  if (known !== undefined) return known;
  const expression = expressionOf(`${escape}+`, ignoreCase ? 'giu' : 'gu');
  if (expression === undefined) return undefined;
  const ranges: number[] = [];
  for (let plane = 0; plane < planes; plane++) {
    // Only the first plane has surrogates, which no text in UTF-8 contains.
    const parts =
      plane === 0
        ? ([
            [0, surrogates.first],
            [surrogates.last + 1, planeSize],
          ] as const)
        : ([[0, planeSize]] as const);
    for (const [from, to] of parts) addMatches(expression, plane * planeSize + from, plane * planeSize + to, ranges);
  }
  const set = union(pairsOf(ranges));
  if (knownProperties.size >= mostKnown) knownProperties.clear();
  knownProperties.set(key, set);
  return set;
}

function expressionOf(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** @param ranges receives those of the code points from `start` to `end` (exclusive) that the expression matches */
function addMatches(expression: RegExp, start: number, end: number, ranges: number[]): void {
  const size = start < planeSize ? 1 : 2;
  const units = new Uint16Array((end - start) * size);
  for (let code = start, at = 0; code < end; code++) {
    if (size === 1) {
      units[at++] = code;
    } else {
      units[at++] = 0xd800 + ((code - planeSize) >> 10);
      units[at++] = 0xdc00 + ((code - planeSize) & 0x3ff);
    }
  }
  const text = Buffer.from(units.buffer).toString('utf16le');
  for (const { 0: run, index } of text.matchAll(expression)) {
    ranges.push(start + index / size, start + (index + run.length) / size - 1);
  }
}
