/**
 * Text in which all letters that are the same but for their case are written the same, so that a search of bytes finds what
 * the flags `iu` of a JavaScript expression find (contract 11): Unicode's simple case folding, as the engine has it.
 */
import { isAscii } from 'node:buffer';

/** Most bytes that one byte of folded text stands for: K, the Kelvin sign, has three and is folded to `K`. */
export const mostFolded = 3;

interface FoldedText {
  /** Never longer than the text itself. */
  readonly bytes: Buffer;
  /** Where in the text a character lies that begins at `offset` of `bytes`. */
  readonly sourceOffset: (offset: number) => number;
}

/**
 * @param bytes may begin and end within a character, whose bytes then stay as they are
 * @param folded where it is written to, at least as long
 * 1 MB takes 1.4 ms if it is ASCII, else 4 to 9.
 */
export function fold(bytes: Buffer, folded = Buffer.allocUnsafe(bytes.length)): FoldedText {
  if (isAscii(bytes)) {
    // The letters of ASCII are first in their classes as capitals; native code does a megabyte of them at once.
    const end = folded.write(bytes.toString('latin1').toUpperCase(), 'latin1');
    return { bytes: folded.subarray(0, end), sourceOffset: (offset) => offset };
  }
  // Behind each character whose length changes: where that is in the folded text, and in the source.
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
    const length = byte < 0xc2 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
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

/** Index of the last of the ascending numbers that is not greater than `limit`; the first one never is. */
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

let firsts: ReadonlyMap<number, number> | undefined;

/**
 * The character with the lowest number, and so the fewest bytes, of those that are the same as this one but for their case.
 * @returns undefined where that is the character itself
 */
function firstOf(code: number): number | undefined {
  firsts ??= findClasses();
  return firsts.get(code);
}

/** Behind it no letter has case: neither in Unicode 17 nor in what is planned. */
const lastPlane = 0x1ffff;

/**
 * Asked of the engine, since no table of a package would be that of its version of Unicode. Takes 15 ms, once in a thread
 * that ever folds a text with other than ASCII characters.
 */
function findClasses(): ReadonlyMap<number, number> {
  const sameButForCase = /^(.)\1$/iu;
  const kin = new Map<string, string[][]>();
  for (const character of casedCharacters()) {
    const key = character.toLowerCase().toUpperCase();
    const classes = kin.get(key) ?? [];
    kin.set(key, classes);
    const own = classes.find(([first]) => sameButForCase.test(`${String(first)}${character}`));
    if (own === undefined) classes.push([character]);
    else own.push(character);
  }
  const found = new Map<number, number>();
  for (const [first, ...others] of [...kin.values()].flat()) {
    for (const other of others) found.set(other.codePointAt(0) ?? 0, first?.codePointAt(0) ?? 0);
  }
  return found;
}

/** In the order of their numbers. */
function* casedCharacters(): Generator<string> {
  const row = 0x1000;
  for (let start = 0; start <= lastPlane; start += row) {
    // Surrogates are no characters.
    if (start === 0xd000) continue;
    const characters = String.fromCodePoint(...Array.from({ length: row }, (_, index) => start + index));
    yield* characters.match(/\p{Changes_When_Casemapped}/gu) ?? [];
  }
}
