/** Explains that the text is there except for white space, case, quotes and the like. */
import { findByKeys, mostPlaces, type TextRange } from '../find/by-keys.js';
import { fold } from '../find/case-folding.js';
import { lineAt } from '../find/line-numbers.js';
import { findAll } from '../find/search.js';
import { WholeWords } from '../find/whole-words.js';
import { untouched } from '../rope/piece.js';
import { bomLength } from '../separators.js';
import {
  inAscii,
  linesIn,
  linesOfSeveral,
  listed,
  mostCompared,
  mostQuoted,
  quote,
  sendInstead,
  type Sought,
} from './advice.js';
import { caseName, joinedNames, nameDifferences, normalizationName, separatorName } from './variants.js';

/** How much white space to inspect on either side of a place, in bytes. */
const mostUnseen = 16_384;
/** Line separators, and invisible characters with which a line can begin or end. */
const unseen = /^[\r\n\t\v\f\u0000-\u0008\u000e-\u001f\u007f-\u009f\u034f\ufe00-\ufe0f\p{Z}\p{Cf}]*/u;

interface Lookalike {
  readonly line: number;
  readonly found: string;
  /** Names of the differences. */
  readonly names: readonly string[];
}

/** @returns sentences; undefined if no text resembles the string */
export function explainLookalike(text: Buffer, sought: Sought): string | undefined {
  const { alike, isComplete } = lookalikes(text, sought);
  const [nearest, ...further] = alike.toSorted((a, b) => a.names.length - b.names.length);
  if (nearest === undefined) return undefined;
  const { line, found, names } = nearest;
  const same = further.filter((other) => listed(other.names) === listed(names));
  const others = same.length === 0 ? '' : `, and from ${same.length === 1 ? 'another place' : 'other places'},`;
  const where = `${sought.parameters.text} differs from the text at line ${line}${others} only in ${listed(names)}`;
  const separators = names.includes(separatorName) ? new Set(found.match(/\r\n?|\n/g)) : new Set<string>();
  const [separator = ''] = separators.size === 1 ? separators : [];
  const written = JSON.stringify(separator).slice(1, -1);
  if (names.length === 1 && separator !== '') return `${where}. ${sendSeparator(written, text, found, sought)}`;
  const first = found.length > mostQuoted ? `, first at ${firstDifference(nearest, sought.text)}` : '';
  const advice = sendInstead(text, found, sought);
  const shown = names.includes(normalizationName) ? inAscii(advice) : advice;
  // The new text brings its own separators, which must match the file's too.
  const keep = separator === '' ? '' : ` Use ${written} for every line ending in ${sought.parameters.replacement} too.`;
  const isCase = names.length === 1 && names[0] === caseName && sought.caseMatters === 'as asked';
  const orByCase = isCase && isMatchedByCase(alike, isComplete, sought) ? ' Or set case_insensitive to true.' : '';
  return `${where}${first}. ${shown}${keep}${orByCase}`;
}

/** Places that resemble the string, and whether these are all of them. */
function lookalikes(
  text: Buffer,
  { text: wanted, caseMatters, wholeWord = false }: Sought,
): { alike: Lookalike[]; isComplete: boolean } {
  const words = new WholeWords([untouched(text)]);
  const alike: Lookalike[] = [];
  const { places, isComplete } = placesLike(wanted, text);
  let compared = 0;
  for (const { start, end } of places) {
    // Naming the differences of 16 KB takes milliseconds, and one place is enough.
    if (alike.length > 0 && compared > mostCompared) return { alike, isComplete: false };
    if (wholeWord && !words.has(start, end)) continue;
    compared += end - start;
    const found = text.toString('utf8', start, end);
    const names = nameDifferences(wanted, found)?.filter((name) => caseMatters !== 'not' || name !== caseName);
    if (names === undefined || names.length === 0) continue;
    if (joinedNames.some((name) => names.includes(name)) && isWithinWord(text, { start, end })) continue;
    alike.push({ line: lineAt(text, start), found, names });
  }
  return { alike, isComplete };
}

/** One of the two directions from a place in a text. */
interface Direction {
  readonly separator: RegExp;
  /** Whether the text may end right after a separator. */
  readonly endsLines: boolean;
}

const forwards: Direction = { separator: /(\r\n?|\n)/, endsLines: true };
/** All input is reversed. */
const backwards: Direction = { separator: /(\n\r?|\r)/, endsLines: false };

/**
 * @returns the ranges of such text: each starts as many lines before its first visible character as the string does, as
 *   far as these are blank, and takes no more of the preceding line than the string does; likewise at its end.
 *   Otherwise replacing it would change the end of another line, or its indentation (spec 11)
 */
function placesLike(wanted: string, text: Buffer): { places: readonly TextRange[]; isComplete: boolean } {
  const string = Buffer.from(wanted);
  const [own] = string.length > mostCompared ? [] : findByKeys(string, string);
  if (own === undefined) return { places: [], isComplete: true };
  const before = reversed(string.toString('utf8', 0, own.start));
  const after = string.toString('utf8', own.end);
  // A byte order mark belongs to the file, not to its first line.
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
 * The part of the text that the string's match takes beyond its outermost visible character.
 * @param text from there on
 * @param isAll whether it extends to the end of the text
 * @param wanted the string's own part there
 * @returns undefined if the string has invisible lines there and the place is in the middle of a line
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
  // The string there has either the nearest blanks of this line, or a blank line that the text lacks.
  if (wantedLast === last && blanks.startsWith(outermost)) return firstParts(last) + outermost;
  return wantedLast === 2 && blanks !== '' ? run : firstParts(last - 1);
}

/** Whether a place is inside a word: `a b` was not meant to match the `ab` of `tab`. */
function isWithinWord(text: Buffer, { start, end }: TextRange): boolean {
  return [start, end].some((edge) => /^\w\w$/.test(text.toString('latin1', edge - 1, edge + 1)));
}

/** @param separator as written in JSON */
function sendSeparator(separator: string, text: Buffer, found: string, sought: Sought): string {
  const { parameters } = sought;
  const lines = linesOfSeveral(text, found, sought);
  const several =
    lines === undefined ? '' : ` The text occurs ${lines}: send it with more of the surrounding text to select one.`;
  return `Use ${separator} for every line ending in ${parameters.text}, and in ${parameters.replacement} to keep the file's line endings.${several}`;
}

/** The first differing line of a long text, with the file's version of it. */
function firstDifference({ line, found }: Lookalike, wanted: string): string {
  const [there, lines] = [linesIn(found), linesIn(wanted)];
  const differing = there.findIndex((each, at) => each !== lines[at]);
  const index = Math.max(0, differing);
  return `line ${line + index}: ${quote(there[index] ?? '')}`;
}

/**
 * Whether the string would match, and not too often, if case did not matter. A lookalike may have more blanks at its
 * edges and still contain the string. Unknown if there are more places than were compared.
 */
function isMatchedByCase(
  alike: readonly Lookalike[],
  isComplete: boolean,
  { text: wanted, isForAll }: Sought,
): boolean {
  const needle = fold(Buffer.from(wanted)).bytes;
  const matching = alike.flatMap(({ found }) => findAll(fold(Buffer.from(found)).bytes, needle, true));
  return isForAll ? matching.length > 0 : isComplete && matching.length === 1;
}
