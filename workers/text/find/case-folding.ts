/**
 * Folds letters that differ only in case to one spelling, so a byte search finds what a JavaScript expression with the
 * flags `iu` finds (spec 11): Unicode's simple case folding, as implemented by the engine.
 */
import { isAscii } from 'node:buffer';
import { lengthOfCharacter } from '../utf8.js';

/** Most bytes that one byte of folded text can stand for: K, the Kelvin sign, has three and folds to `K`. */
export const mostFolded = 3;

interface FoldedText {
  /** Never longer than the text itself. */
  readonly bytes: Buffer;
  /** Offset in the text of the character that begins at `offset` in `bytes`. */
  readonly sourceOffset: (offset: number) => number;
}

/**
 * Takes 1.4 ms for 1 MB of ASCII, otherwise 4 to 9.
 * @param bytes may begin and end within a character, whose bytes then stay unchanged
 * @param folded receives the result; at least as long
 */
export function fold(bytes: Buffer, folded = Buffer.allocUnsafe(bytes.length)): FoldedText {
  if (isAscii(bytes)) {
    // ASCII capitals are the first of their classes; native code converts a megabyte of them at a time.
    const end = folded.write(bytes.toString('latin1').toUpperCase(), 'latin1');
    return { bytes: folded.subarray(0, end), sourceOffset: (offset) => offset };
  }
  // Offsets after each character whose length changes, in the folded text and in the source.
  const foldedEnds: number[] = [0];
  const sourceEnds: number[] = [0];
  let to = 0;
  for (let from = 0; from < bytes.length;) {
    const byte = bytes[from] ?? 0;
    if (byte < 0x80) {
      folded[to++] = byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte;
      from += 1;
      continue;
    }
    const length = lengthOfCharacter(byte);
    const first = length === 1 || from + length > bytes.length ? undefined : firstOf(codePoint(bytes, from, length));
    if (first === undefined) {
      for (const end = Math.min(from + length, bytes.length); from < end;) folded[to++] = bytes[from++] ?? 0;
      continue;
    }
    const start = to;
    to = write(folded, to, first);
    from += length;
    if (to - start === length) continue;
    foldedEnds.push(to);
    sourceEnds.push(from);
  }
  const sourceOffset = (offset: number): number => {
    const index = lastAtMost(foldedEnds, offset);
    return (sourceEnds[index] ?? 0) + offset - (foldedEnds[index] ?? 0);
  };
  return { bytes: folded.subarray(0, to), sourceOffset };
}

function codePoint(bytes: Buffer, at: number, length: number): number {
  let code = (bytes[at] ?? 0) & (0xff >> (length + 1));
  for (let next = at + 1; next < at + length; next++) code = (code << 6) | ((bytes[next] ?? 0) & 0x3f);
  return code;
}

function write(target: Buffer, at: number, code: number): number {
  if (code < 0x80) {
    target[at] = code;
    return at + 1;
  }
  const length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (let index = length - 1, rest = code; index > 0; index--, rest >>= 6) target[at + index] = 0x80 | (rest & 0x3f);
  target[at] = ((0xf00 >> length) & 0xff) | (code >> (6 * (length - 1)));
  return at + length;
}

/** Index of the last of the ascending numbers that does not exceed `limit`; the first one never does. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

let classes: readonly (readonly number[])[] | undefined;
let firsts: ReadonlyMap<number, number> | undefined;

/** The sets of characters, ascending, that differ only in case from each other. */
export function caseClasses(): readonly (readonly number[])[] {
  return (classes ??= findClasses());
}

/**
 * Of the characters that differ from this one only in case, the one with the lowest code point, and so with the fewest
 * bytes.
 * @returns undefined if that is the character itself
 */
function firstOf(code: number): number | undefined {
  firsts ??= new Map(caseClasses().flatMap(([first = 0, ...others]) => others.map((other) => [other, first] as const)));
  return firsts.get(code);
}

/** No letter beyond it has case, neither in Unicode 17 nor in any planned version. */
const lastPlane = 0x1ffff;

/**
 * Computed from the engine, since a package's table would have another Unicode version. Takes 15 ms, once in each
 * thread that folds non-ASCII text.
 */
function findClasses(): readonly (readonly number[])[] {
  const sameButForCase = /^(.)\1$/iu;
  const kin = new Map<string, string[][]>();
  for (const character of casedCharacters()) {
    const key = character.toLowerCase().toUpperCase();
    const known = kin.get(key) ?? [];
    kin.set(key, known);
    const own = known.find(([first]) => sameButForCase.test(`${String(first)}${character}`));
    if (own === undefined) known.push([character]);
    else own.push(character);
  }
  return [...kin.values()]
    .flat()
    .filter(({ length }) => length > 1)
    .map((members) => members.map((character) => character.codePointAt(0) ?? 0));
}

/** Ascending by code point. */
function* casedCharacters(): Generator<string> {
  const row = 0x1000;
  for (let start = 0; start <= lastPlane; start += row) {
    // Surrogates are not characters.
    if (start === 0xd000) continue;
    const characters = String.fromCodePoint(...Array.from({ length: row }, (_, index) => start + index));
    yield* characters.match(/\p{Changes_When_Casemapped}/gu) ?? [];
  }
}
