import { posixClasses } from '../../../src/core/globs/posix-classes.js';
import { union, wordCharacters, type CharacterSet } from './characters.js';
import { invalidPattern } from './refusals.js';

/** Where git, for its globs, knows less: `space` has all that ASCII has, and `word` most programs that have the others. */
const beside: ReadonlyMap<string, CharacterSet> = new Map([
  ['space', [9, 13, 32, 32]],
  ['word', wordCharacters],
]);

/**
 * A class of POSIX inside of brackets, such as `[:digit:]`: JavaScript has none, and takes its characters one by one,
 * which nobody means.
 * @param start index of what may be its `[`
 * @returns its characters and the index behind it; undefined if it is something else
 * @throws OperationError invalid_params if there is no class of that name
 */
export function readPosixClass(
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
  return { set: union(ranges.map((range) => range.map((character) => character.codePointAt(0) ?? 0))), end };
}
