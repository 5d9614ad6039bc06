/** What a backslash and the characters after it stand for, inside brackets and outside. */
import {
  complement,
  digits,
  propertySet,
  whiteSpace,
  withCaseVariants,
  wordCharacters,
  type CharacterSet,
} from './characters.js';
import { codeOf, type PatternReader } from './pattern-reader.js';
import { invalidPattern } from './refusals.js';

const controlEscapes: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/** What `\w` stands for, and what `\b` looks for. */
export function wordSet(ignoreCase: boolean): CharacterSet {
  return ignoreCase ? withCaseVariants(wordCharacters) : wordCharacters;
}

/**
 * An escape that stands for several characters, such as `\d`.
 * @param place of the backslash, which has been read
 * @returns undefined if it is something else, which has not been read
 */
export function setEscape(reader: PatternReader, place: number, ignoreCase: boolean): CharacterSet | undefined {
  const letter = reader.next;
  const set = namedSet(letter.toLowerCase(), ignoreCase);
  if (set !== undefined) {
    reader.at += 1;
    return letter === letter.toLowerCase() ? set : complement(set);
  }
  return letter === 'p' || letter === 'P' ? property(reader, place, ignoreCase) : undefined;
}

function namedSet(letter: string, ignoreCase: boolean): CharacterSet | undefined {
  if (letter === 'd') return digits;
  if (letter === 's') return whiteSpace;
  return letter === 'w' ? wordSet(ignoreCase) : undefined;
}

function property(reader: PatternReader, place: number, ignoreCase: boolean): CharacterSet | undefined {
  const end = reader.characters.indexOf('}', reader.at);
  if (reader.characters[reader.at + 1] !== '{' || end === -1) return undefined;
  const escape = `\\${reader.characters.slice(reader.at, end + 1).join('')}`;
  const set = /^\\[pP]\{[\w=]+\}$/.test(escape) ? propertySet(escape, ignoreCase) : undefined;
  if (set === undefined) {
    throw invalidPattern(
      'unknown Unicode property',
      place,
      'Use one that JavaScript knows, such as \\p{L}, \\p{Lu} or \\p{Script=Greek}.',
    );
  }
  reader.at = end + 1;
  return set;
}

/**
 * An escape that stands for one character.
 * @param place of the backslash, which has been read
 * @returns its code point: that of the character itself if the backslash was needless
 */
export function characterEscape(reader: PatternReader, place: number): number {
  const letter = reader.next;
  if (letter === '') {
    throw invalidPattern('backslash without a character', place, 'Send two backslashes to find one.');
  }
  reader.at += 1;
  const control = controlEscapes[letter];
  if (control !== undefined) return control;
  if (letter === '0') {
    if (/^[0-9]$/.test(reader.next)) throw octal(place);
    return 0;
  }
  if (letter === 'c' && /^[A-Za-z]$/.test(reader.next)) return codeOf(reader.characters[reader.at++] ?? '') % 32;
  if (letter === 'x') return hex(reader, 2) ?? codeOf(letter);
  if (letter === 'u') return unicode(reader) ?? codeOf(letter);
  return codeOf(letter);
}

function unicode(reader: PatternReader): number | undefined {
  const start = reader.at;
  if (reader.takes('{')) {
    const end = reader.characters.indexOf('}', reader.at);
    const code = end === -1 ? undefined : hex(reader, end - reader.at);
    if (code !== undefined && code <= 0x10ffff && reader.takes('}')) return code;
    reader.at = start;
    return undefined;
  }
  const high = hex(reader, 4);
  if (high === undefined || high < 0xd800 || high > 0xdbff) return high;
  // The two halves of a surrogate pair.
  const behindHigh = reader.at;
  const low = reader.takes('\\u') ? hex(reader, 4) : undefined;
  if (low !== undefined && low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  reader.at = behindHigh;
  return high;
}

function hex(reader: PatternReader, length: number): number | undefined {
  const written = reader.characters.slice(reader.at, reader.at + length).join('');
  if (written.length !== length || !/^[0-9A-Fa-f]+$/.test(written)) return undefined;
  reader.at += length;
  return parseInt(written, 16);
}

export function octal(place: number): Error {
  return invalidPattern('octal escape', place, 'Write the character as \\xHH or \\u{H}.');
}
