/** Reads character classes in brackets. */
import { posixClasses } from '../../../src/core/globs/posix-classes.js';
import { CR, LF } from '../../text/separators.js';
import { complement, noCharacters, union, withCaseVariants, wordCharacters, type CharacterSet } from './characters.js';
import { characterEscape, octal, setEscape } from './escapes.js';
import { codeOf, type PatternReader } from './pattern-reader.js';
import { invalidPattern, separatorNamed } from './refusals.js';

/** @param place of the bracket, which has been read */
export function readClass(reader: PatternReader, place: number, ignoreCase: boolean): CharacterSet {
  const negated = reader.takes('^');
  const sets: CharacterSet[] = [];
  while (!reader.takes(']')) {
    if (reader.next === '') {
      throw invalidPattern(
        'unclosed [',
        place,
        'Close the class with ], or put a backslash before a [ that is to be found itself.',
      );
    }
    sets.push(classPart(reader, negated, ignoreCase));
  }
  const set = sets.length === 0 ? noCharacters : union(sets);
  return negated ? complement(set) : set;
}

/** A character, an escape or a range. */
function classPart(reader: PatternReader, negated: boolean, ignoreCase: boolean): CharacterSet {
  const place = reader.place;
  const named = readPosixClass(reader.characters, reader.at);
  if (named !== undefined) {
    reader.at = named.end;
    return ignoreCase ? withCaseVariants(named.set) : named.set;
  }
  const first = classAtom(reader, ignoreCase);
  if (reader.next !== '-' || reader.characters[reader.at + 1] === ']') {
    return closed(negated || typeof first !== 'number' ? first : notSeparator(first, place), ignoreCase);
  }
  const hyphen = reader.at++;
  if (reader.at === reader.characters.length) return closed(first, ignoreCase);
  const last = classAtom(reader, ignoreCase);
  if (typeof first !== 'number' || typeof last !== 'number') {
    // A hyphen next to an escape such as \w stands for itself.
    reader.at = hyphen + 1;
    return union([closed(first, ignoreCase), closed(codeOf('-'), ignoreCase)]);
  }
  if (first > last) throw invalidPattern('range out of order', place, 'Put the smaller character first.');
  return ignoreCase ? withCaseVariants([first, last]) : [first, last];
}

function closed(atom: number | CharacterSet, ignoreCase: boolean): CharacterSet {
  if (typeof atom !== 'number') return atom;
  return ignoreCase ? withCaseVariants([atom, atom]) : [atom, atom];
}

function classAtom(reader: PatternReader, ignoreCase: boolean): number | CharacterSet {
  const place = reader.place;
  const character = reader.next;
  reader.at += 1;
  if (character !== '\\') return codeOf(character);
  if (reader.takes('b')) return 8;
  if (/^[1-9]$/.test(reader.next)) throw octal(place);
  return setEscape(reader, place, ignoreCase) ?? characterEscape(reader, place);
}

/**
 * Classes that git's globs lack or have in part: `space` with all ASCII white space; `word`, which most programs know.
 */
const beside: ReadonlyMap<string, CharacterSet> = new Map([
  ['space', [9, 13, 32, 32]],
  ['word', wordCharacters],
]);

/**
 * A POSIX class in brackets, such as `[:digit:]`. JavaScript has none, and would take its characters one by one, which
 * nobody means.
 * @param start index of what may be its `[`
 * @returns its characters and the index behind it; undefined if it is something else
 * @throws OperationError invalid_params if there is no class of that name
 */
function readPosixClass(
  characters: readonly string[],
  start: number,
): { readonly set: CharacterSet; readonly end: number } | undefined {
  if (characters[start] !== '[' || characters[start + 1] !== ':') return undefined;
  const colon = characters.indexOf(':', start + 2);
  const name = characters.slice(start + 2, colon).join('');
  if (colon === -1 || characters[colon + 1] !== ']' || !/^[a-z]+$/.test(name)) return undefined;
  const end = colon + 2;
  const set = beside.get(name);
  if (set !== undefined) return { set, end };
  const ranges = posixClasses.get(name);
  if (ranges === undefined) {
    throw invalidPattern(`unknown POSIX class [:${name}:]`, start + 1, 'Send its characters themselves, as in [a-z].');
  }
  return { set: union(ranges.map((range) => range.map(codeOf))), end };
}

/** A character that a line may have. @throws OperationError invalid_params for any other */
export function notSeparator(code: number, place: number): number {
  if (code === LF || code === CR) throw separatorNamed(place);
  return code;
}
