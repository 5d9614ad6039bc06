/** Explains that the text is there, except for white space, case, quotes and the like. */
import { fold } from '../search/case-folding.js';
import { lineAt } from '../search/line-numbers.js';
import { findAll } from '../search/search.js';
import { bomLength, CR, LF } from '../separators.js';
import { inAscii, linesOfSeveral, mostQuoted, quote, sendInstead, type Sought } from './advice.js';
import { caseName, isUnseen, joinedNames, nameDifferences, normalizationName, separatorName } from './differences.js';
import { findByKeys, mostPlaces, type Place } from './keys.js';

/** How much of a string is compared, in bytes: more would take longer than an error may. */
export const mostCompared = 16_384;
/** How much white space on either side of a place is looked at, in bytes. */
const mostUnseen = 16_384;

interface Lookalike {
  readonly line: number;
  readonly found: string;
  /** Of the differences. */
  readonly names: readonly string[];
}

/** @returns sentences; undefined if no text looks like the string */
export function explainLookalike(text: Buffer, sought: Sought): string | undefined {
  const { alike, isComplete } = lookalikes(text, sought);
  const [nearest, ...further] = alike.toSorted((a, b) => a.names.length - b.names.length);
  if (nearest === undefined) return undefined;
  const { line, found, names } = nearest;
  const same = further.filter((other) => listed(other.names) === listed(names));
  const others = same.length === 0 ? '' : `, and from ${same.length === 1 ? 'another' : 'others'},`;
  const where = `It differs from the text at line ${line}${others} only in ${listed(names)}`;
  if (names.length === 1 && names[0] === separatorName && separatorsOf(found).length === 1) {
    return `${where}. ${sendSeparator(text, found, sought)}`;
  }
  const first = found.length > mostQuoted ? `, first at ${firstDifference(nearest, sought.text)}` : '';
  const isCase = names.length === 1 && names[0] === caseName && sought.caseMatters === 'as asked';
  const byCase = isCase && isMatchedByCase(alike, isComplete, sought);
  const advice = sendInstead(text, found, sought);
  const shown = names.includes(normalizationName) ? inAscii(advice) : advice;
  const more = byCase ? ' Or set case_insensitive to true.' : '';
  return `${where}${first}. ${shown}${sameSeparators(found, names, sought)}${more}`;
}

/** Where the text looks like the string, and whether those are all such places. */
function lookalikes(text: Buffer, { text: wanted, caseMatters }: Sought): { alike: Lookalike[]; isComplete: boolean } {
  const alike: Lookalike[] = [];
  const string = Buffer.from(wanted);
  if (string.length > mostCompared) return { alike, isComplete: false };
  const [own = { start: 0, end: 0 }] = findByKeys(string, string);
  const edges = { before: string.toString('utf8', 0, own.start), after: string.toString('utf8', own.end) };
  const places = findByKeys(text, string).filter(({ start, end }) => end - start <= 2 * mostCompared);
  let compared = 0;
  for (const place of places) {
    // Naming the differences of 16 KB takes milliseconds, and one place is enough.
    if (alike.length > 0 && compared > mostCompared) return { alike, isComplete: false };
    const start = startOf(text, place.start, edges.before);
    const end = endOf(text, place.end, edges.after);
    if (start === undefined || end === undefined) continue;
    compared += end - start;
    const found = text.toString('utf8', start, end);
    const names = nameDifferences(wanted, found)?.filter((name) => caseMatters !== 'not' || name !== caseName);
    if (names === undefined || names.length === 0) continue;
    if (joinedNames.some((name) => names.includes(name)) && isWithinWord(text, { start, end })) continue;
    alike.push({ line: lineAt(text, start), found, names });
  }
  return { alike, isComplete: places.length < mostPlaces };
}

/**
 * Where the counterpart of a string begins: with as many lines in front of its first visible character as the string has,
 * as far as these are blank, and with no more of the line in front of them than the string takes. Otherwise replacing it
 * would change the end of another line (spec 11).
 * @param at where its first visible character is. @param before what the string has in front of that
 * @returns undefined if the string begins with lines, and the place is in the middle of one
 */
function startOf(text: Buffer, at: number, before: string): number | undefined {
  if (before === '') return at;
  // A byte order mark is part of the file, not of its first line.
  const least = before.startsWith('\ufeff') ? 0 : bomLength(text);
  const [first = '', ...others] = before.split(/\r\n?|\n/);
  const isLineStart = (place: number): boolean => place === least || separatorBefore(text, place) !== place;
  let start = unseenBefore(text, at, least);
  if (others.length > 0 && !isLineStart(start)) return undefined;
  let separator = start;
  for (let left = others.length; left > 0; left--) {
    const end = separatorBefore(text, start);
    if (end === start) return first === '' ? separator : start;
    separator = end;
    const begin = unseenBefore(text, end, least);
    const isBlank = isLineStart(begin);
    if (first === '' && (left === 1 || !isBlank)) return end;
    if (!isBlank) {
      // What the string begins with are the blanks at the end of this line, or a blank line that is not there.
      if (left > 1) return start;
      const same = end - Buffer.byteLength(first);
      if (same >= begin && text.toString('utf8', same, end) === first) return same;
      return others.length === 1 && begin < end ? begin : start;
    }
    start = begin;
  }
  return start;
}

/** Where it ends, by the same rules: after the separator of its last line, not after the indentation of the next one. */
function endOf(text: Buffer, at: number, after: string): number | undefined {
  if (after === '') return at;
  const pieces = after.split(/\r\n?|\n/);
  const last = pieces.at(-1) ?? '';
  const isLineEnd = (place: number): boolean => place === text.length || separatorAfter(text, place) !== place;
  let end = unseenAfter(text, at);
  if (pieces.length > 1 && !isLineEnd(end)) return undefined;
  let separated = end;
  for (let left = pieces.length - 1; left > 0; left--) {
    const begin = separatorAfter(text, end);
    if (begin === end) return last === '' ? separated : end;
    separated = begin;
    const lineEnd = unseenAfter(text, begin);
    const isBlank = begin < text.length && isLineEnd(lineEnd);
    if (last === '' && (left === 1 || !isBlank)) return begin;
    if (!isBlank) {
      if (left > 1) return end;
      const same = begin + Buffer.byteLength(last);
      if (same <= lineEnd && text.toString('utf8', begin, same) === last) return same;
      return pieces.length === 2 && lineEnd > begin ? lineEnd : end;
    }
    end = lineEnd;
  }
  return end;
}

function unseenBefore(text: Buffer, end: number, least: number): number {
  let at = end;
  while (at > least && end - at < mostUnseen) {
    let start = at - 1;
    while (start > least && ((text[start] ?? 0) & 0xc0) === 0x80) start -= 1;
    if (!isUnseen(text.toString('utf8', start, at))) break;
    at = start;
  }
  return at;
}

function unseenAfter(text: Buffer, start: number): number {
  let at = start;
  while (at < text.length && at - start < mostUnseen) {
    let end = at + 1;
    while (end < text.length && ((text[end] ?? 0) & 0xc0) === 0x80) end += 1;
    if (!isUnseen(text.toString('utf8', at, end))) break;
    at = end;
  }
  return at;
}

function separatorBefore(text: Buffer, at: number): number {
  const last = text[at - 1];
  if (last === LF) return text[at - 2] === CR ? at - 2 : at - 1;
  return last === CR ? at - 1 : at;
}

function separatorAfter(text: Buffer, at: number): number {
  const first = text[at];
  if (first === CR) return text[at + 1] === LF ? at + 2 : at + 1;
  return first === LF ? at + 1 : at;
}

/** `ab` within `tab` is not what `a b` was meant to match. */
function isWithinWord(text: Buffer, { start, end }: Place): boolean {
  const isWord = /^\w\w$/;
  return (
    isWord.test(text.toString('latin1', start - 1, start + 1)) || isWord.test(text.toString('latin1', end - 1, end + 1))
  );
}

/** The kinds of them in a text. */
function separatorsOf(text: string): readonly string[] {
  return [...new Set(text.match(/\r\n?|\n/g) ?? [])];
}

function sendSeparator(text: Buffer, found: string, sought: Sought): string {
  const { parameters } = sought;
  const [separator = ''] = separatorsOf(found);
  const lines = linesOfSeveral(text, found, sought);
  const several =
    lines === undefined ? '' : ` The file has it ${lines}: send more of the text around the one that is meant.`;
  return `Send ${escaped(separator)} for every line ending in ${parameters.text}, and in ${parameters.replacement} to keep them.${several}`;
}

/** The new text brings its own separators, which must be those of the file, too. */
function sameSeparators(found: string, names: readonly string[], { parameters }: Sought): string {
  const [separator, another] = separatorsOf(found);
  if (!names.includes(separatorName) || separator === undefined || another !== undefined) return '';
  return ` Send ${escaped(separator)} for every line ending in ${parameters.replacement} too.`;
}

function escaped(separator: string): string {
  return JSON.stringify(separator).slice(1, -1);
}

/** The first line of a long text that differs, and what the file has there. */
function firstDifference({ line, found }: Lookalike, wanted: string): string {
  const [there, lines] = [found, wanted].map((text) => text.split(/(?<=\n)|(?<=\r)(?!\n)/));
  const index = there?.findIndex((each, at) => each !== lines?.[at]) ?? 0;
  return `line ${line + Math.max(index, 0)}: ${quote(there?.[index] ?? '')}`;
}

/**
 * Whether the string would match, and not too often, if case did not matter. A lookalike may have more blanks at its edges
 * and still contain the string. If there are more places than are compared, it is unknown.
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

export function listed(names: readonly string[]): string {
  return names.length <= 1 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
