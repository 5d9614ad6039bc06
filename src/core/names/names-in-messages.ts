/** Shows suggested names to a caller whose own may look the same. */
import { jsonOf } from '../json/json-of.js';
import { caseless, folded } from './names-meant.js';

/** Invisible characters, and those that look like a space. */
const unseen = /(?! )[\p{C}\p{Z}]/gu;

/** Naming more code points does not help. */
const mostNamed = 3;

/**
 * A question that offers the names, with a trailing space; empty if there are none.
 * @param where the directory that holds them, if the question should name it
 */
export function didYouMeanOneOf(names: readonly string[], asked: string, where = ''): string {
  if (names.length === 0) return '';
  const told = names.map((name) => toldApart(name, asked));
  const last = told.pop() ?? '';
  const all = told.length === 0 ? last : `${told.join(', ')} or ${last}`;
  return `Did you mean ${all}${where === '' ? '' : ` in ${quotedName(where)}`}? `;
}

/** A name or path in quotes, with invisible characters as JSON escapes. */
export function quotedName(name: string): string {
  return `'${name.replaceAll(unseen, escaped)}'`;
}

/**
 * A file name on one line of text: line breaks and other control characters are escaped as in JSON, so that one file
 * cannot pass for several.
 */
export function onOneLine(name: string): string {
  return name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (character) =>
    character < ' ' ? jsonOf(character).slice(1, -1) : escaped(character),
  );
}

/** The name to send, and its characters that are easily confused. */
export function toldApart(name: string, asked: string): string {
  const { before, between, after } = differing(name, asked);
  const shown = between.map((each) => (isAscii(each) ? each : escaped(each))).join('');
  const named = [...new Set(between.length === 0 ? (name.match(unseen) ?? []) : tellingOf(between))];
  const words = named.slice(0, mostNamed).map(codePoint).join(', ');
  const more = named.length > mostNamed ? ', …' : '';
  const quoted = `${quotedName(before).slice(0, -1)}${shown}${quotedName(after).slice(1)}`;
  return named.length === 0 ? quoted : `${quoted} with ${words}${more}`;
}

/** The part in which two names that look the same differ; `between` is empty if they look different. */
function differing(name: string, asked: string): { before: string; between: readonly string[]; after: string } {
  const looksAlike = folded(name) === folded(asked) && caseless(name) !== caseless(asked);
  if (!looksAlike) return { before: name, between: [], after: '' };
  const ours = Array.from(name);
  const theirs = Array.from(asked);
  const isSame = (a: string | undefined, b: string | undefined): boolean =>
    a !== undefined && b !== undefined && caseless(a) === caseless(b);
  const shorter = Math.min(ours.length, theirs.length);
  let start = 0;
  while (start < shorter && isSame(ours[start], theirs[start])) start++;
  let end = 0;
  while (end < shorter - start && isSame(ours.at(-1 - end), theirs.at(-1 - end))) end++;
  return {
    before: ours.slice(0, start).join(''),
    between: ours.slice(start, ours.length - end),
    after: ours.slice(ours.length - end).join(''),
  };
}

/** The characters to point out: the unusual ones, or the plain ones if only the other name has unusual ones. */
function tellingOf(between: readonly string[]): readonly string[] {
  const unusual = between.filter((each) => !isAscii(each));
  const plain = between.filter((each) => each === ' ');
  return [unusual, plain, between].find((some) => some.length > 0) ?? [];
}

function isAscii(character: string): boolean {
  return character >= ' ' && character <= '~';
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
