/** Explains that the text is there, except for white space, case, quotes and the like. */
import { fold } from '../find/case-folding.js';
import { lineAt } from '../find/line-numbers.js';
import { findAll } from '../find/search.js';
import { bomLength, CR, LF } from '../separators.js';
import { inAscii, linesOfSeveral, mostQuoted, quote, sendInstead, type Sought } from './advice.js';
import {
  caseName,
  findByKeys,
  isUnseen,
  joinedNames,
  mostPlaces,
  nameDifferences,
  normalizationName,
  separatorName,
  type TextRange,
} from './normalize.js';

/** How much of a string is compared, in bytes: more would take longer than an error may. */
export const mostCompared = 16_384;
const lineBreak = /\r\n?|\n/;
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
  const before = string.toString('utf8', 0, own.start);
  const unseen = {
    before: before.split(lineBreak).reverse(),
    after: string.toString('utf8', own.end).split(lineBreak),
  };
  const [back, forth] = [backwards(text, before.startsWith('\ufeff')), forwards(text)];
  const places = findByKeys(text, string).filter(({ start, end }) => end - start <= 2 * mostCompared);
  let compared = 0;
  for (const place of places) {
    // Naming the differences of 16 KB takes milliseconds, and one place is enough.
    if (alike.length > 0 && compared > mostCompared) return { alike, isComplete: false };
    const start = edgeOf(text, place.start, unseen.before, back);
    const end = edgeOf(text, place.end, unseen.after, forth);
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

/** One of the two ways from a place in a text: towards its beginning, or towards its end. */
interface Direction {
  /** So many bytes further. */
  readonly on: (at: number, bytes: number) => number;
  /** Beyond the next character, which is there. */
  readonly pastCharacter: (at: number) => number;
  /** Beyond the line separator that is next; the place itself if none is. */
  readonly pastSeparator: (at: number) => number;
  /** Where the text is over. */
  readonly limit: number;
  /** Whether a separator can be followed by no line at all. */
  readonly endsLines: boolean;
}

/** A byte order mark is part of the file, not of its first line. @param hasBom whether it is part of the string */
function backwards(text: Buffer, hasBom: boolean): Direction {
  return {
    on: (at, bytes) => at - bytes,
    pastCharacter(at) {
      let start = at - 1;
      while (start > 0 && isContinuation(text[start])) start -= 1;
      return start;
    },
    pastSeparator(at) {
      const last = text[at - 1];
      if (last === LF) return text[at - 2] === CR ? at - 2 : at - 1;
      return last === CR ? at - 1 : at;
    },
    limit: hasBom ? 0 : bomLength(text),
    endsLines: false,
  };
}

function forwards(text: Buffer): Direction {
  return {
    on: (at, bytes) => at + bytes,
    pastCharacter(at) {
      let end = at + 1;
      while (end < text.length && isContinuation(text[end])) end += 1;
      return end;
    },
    pastSeparator(at) {
      const first = text[at];
      if (first === CR) return text[at + 1] === LF ? at + 2 : at + 1;
      return first === LF ? at + 1 : at;
    },
    limit: text.length,
    endsLines: true,
  };
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

/**
 * Where the counterpart of a string begins or ends: with as many lines before its first visible character as the string
 * has, as far as these are blank, and with no more of the line in front of them than the string takes; after the last
 * one likewise. Otherwise replacing it would change the end of another line, or its indentation (spec 11).
 * @param at where its first visible character begins, or its last one ends
 * @param unseen what the string has beyond that, line by line
 * @returns undefined if lines of the string are unseen, and the place is in the middle of one
 */
function edgeOf(text: Buffer, at: number, unseen: readonly string[], direction: Direction): number | undefined {
  const { on, pastSeparator, limit, endsLines } = direction;
  const outermost = unseen.at(-1) ?? '';
  if (unseen.length <= 1 && outermost === '') return at;
  const isLineEdge = (place: number): boolean => place === limit || pastSeparator(place) !== place;
  let edge = pastUnseen(text, at, direction);
  if (unseen.length > 1 && !isLineEdge(edge)) return undefined;
  let separated = edge;
  for (let left = unseen.length - 1; left > 0; left--) {
    const line = pastSeparator(edge);
    if (line === edge) return outermost === '' ? separated : edge;
    separated = line;
    const lineEdge = pastUnseen(text, line, direction);
    const isBlank = isLineEdge(lineEdge) && !(endsLines && line === limit);
    if (outermost === '' && (left === 1 || !isBlank)) return line;
    if (!isBlank) {
      // What the string has there are the blanks on the near side of this line, or a blank line that is not there.
      if (left > 1) return edge;
      const bytes = Buffer.from(outermost);
      const same = on(line, bytes.length);
      if (Math.abs(lineEdge - line) >= bytes.length && between(text, line, same).equals(bytes)) return same;
      return unseen.length === 2 ? (lineEdge === line ? edge : lineEdge) : edge;
    }
    edge = lineEdge;
  }
  return edge;
}

function pastUnseen(text: Buffer, start: number, { pastCharacter, limit }: Direction): number {
  let at = start;
  while (at !== limit && Math.abs(at - start) < mostUnseen) {
    const next = pastCharacter(at);
    if (!isUnseen(between(text, at, next).toString())) break;
    at = next;
  }
  return at;
}

/** The bytes between two places, in whichever order. */
function between(text: Buffer, one: number, other: number): Buffer {
  return text.subarray(Math.min(one, other), Math.max(one, other));
}

/** `ab` within `tab` is not what `a b` was meant to match. */
function isWithinWord(text: Buffer, { start, end }: TextRange): boolean {
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
