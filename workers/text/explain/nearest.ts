/**
 * Explains which lines of a file most resemble a text that is not in it: those with the most groups of three characters in
 * common, found in a single pass over its bytes, which takes about 10 ms for 1 MB.
 */
import { lineAt } from '../find/line-numbers.js';
import { findAll } from '../find/search.js';
import { bomLength, LF, CR } from '../separators.js';
import { linesIn, listed, mostCompared, mostQuoted, quote, type Sought } from './advice.js';
import { looksLikePattern } from './variants.js';

/** How much of each further similar line is quoted, in UTF-16 units. */
const mostOfOthers = 120;
/** How many lines of a string are sought exactly, and how many by likeness, which takes about 10 ms for 1 MB. */
const mostTried = { exactly: 8, byLikeness: 3 } as const;
/** How much of the beginning of a line is sought within another one, in UTF-16 units. */
const mostAligned = 200;

const mostLines = 3;
/** Lines less alike have nothing to do with each other. */
const leastLikeness = 0.4;
/** In groups. Longer lines are looked at in parts if they are more than twice as long as the wanted one. */
const longestWhole = 128;
const tableSize = 65_536;
/** In UTF-16 units. Longer lines are found by the groups they share. */
const longestByEdge = 40;
/** Share of a line that must be the same, and how many bytes at least. */
const leastShared = { part: 0.4, bytes: 3 };

/** A line of a text that is like a given one. */
interface NearLine {
  /** Counted from 1. */
  readonly line: number;
  /** If the line is long: where the part of it that is meant begins and ends. */
  readonly start: number;
  /** Before its separator. */
  readonly end: number;
  /** Share of the three-character groups that the two have in common, 0 to 1. */
  readonly likeness: number;
}

/** @param isWhole whether `text` is the whole file. @returns sentences */
export function explainNearest(text: Buffer, { text: wanted, parameters }: Sought, isWhole: boolean): string {
  if (text.length === 0) return 'The file is empty.';
  const parameter = parameters.text;
  const literally = looksLikePattern(wanted) ? ` ${parameter} is taken literally, not as a regular expression.` : '';
  const lines = linesIn(wanted.slice(0, mostCompared));
  const { pivot, near } = nearest(text, lines);
  const [best, ...others] = near;
  const where = isWhole ? '' : ' in the first 16 MB, which is all that was compared,';
  if (best === undefined) {
    return isWhole
      ? `The text is not in this file, and no line resembles it: make sure that this is the right file.${literally}`
      : `The text is not in this file, and no line of its first 16 MB, which is all that was compared, resembles it.${literally}`;
  }
  // As many lines precede the pivot as there is room for.
  const around = Math.min(pivot, best.line - 1);
  const firstLine = best.line - around;
  const counterparts = lines.slice(pivot - around);
  const start = startOfLine(text, best.start, around);
  // A byte order mark is part of the file, not of its first line.
  const there = linesAt(text, wanted.startsWith('\ufeff') ? start : Math.max(start, bomLength(text)), counterparts);
  const differing = there.findIndex((each, index) => each !== counterparts[index]);
  const lastLine = firstLine + Math.max(0, there.length - 1);
  const at = lastLine === firstLine ? `line ${firstLine}` : `lines ${firstLine}-${lastLine}`;
  const from = differing > 0 ? `, different from line ${firstLine + differing} on` : '';
  const also = others
    .filter(({ line }) => line < firstLine || line > lastLine)
    .map(({ line, start, end }) => `line ${line} (${quote(decode(text, start, end), mostOfOthers)})`);
  const more = also.length === 0 ? '' : ` Also similar: ${listed(also)}.`;
  const quoted = quote(there.join(''), mostQuoted, placeOfDifference(there, counterparts, differing));
  return `The nearest text${where} is at ${at}${from}: ${quoted}.${more} Send ${parameter} exactly as it is in the file.${literally}`;
}

/** The index of a line of a string, and the lines of the text that it equals or resembles. */
interface Aligned {
  readonly pivot: number;
  readonly near: readonly NearLine[];
}

/** By the longest line that is in the text exactly once, as most lines of a block are; else by the longest with a similar one. */
function nearest(text: Buffer, lines: readonly string[]): Aligned {
  const trimmed = lines.map((line) => line.trim());
  const longest = [...trimmed.keys()].sort((a, b) => lengthAt(trimmed, b) - lengthAt(trimmed, a));
  for (const pivot of longest.slice(0, mostTried.exactly)) {
    const line = lines[pivot] ?? '';
    const [start, another] = line.trim() === '' ? [] : findAll(text, Buffer.from(line), true, 2);
    if (start === undefined || another !== undefined) continue;
    return { pivot, near: [{ line: lineAt(text, start), start, end: start + Buffer.byteLength(line), likeness: 1 }] };
  }
  for (const pivot of longest.slice(0, mostTried.byLikeness)) {
    const near = nearestLines(text, Buffer.from(trimmed[pivot]?.slice(0, 1_000) ?? ''));
    if (near.length > 0) return { pivot, near };
  }
  const [pivot = 0] = longest;
  const line = lineWithEdge(text, trimmed[pivot] ?? '');
  return { pivot, near: line === undefined ? [] : [line] };
}

function lengthAt(lines: readonly string[], index: number): number {
  return lines[index]?.length ?? 0;
}

/**
 * The lines of the text from a place on that stand for those of the string, without what the string leaves out at its
 * edges: an indentation that is quoted is sent, and takes the place of the one that was left out.
 */
function linesAt(text: Buffer, start: number, counterparts: readonly string[]): readonly string[] {
  const lines = linesIn(decode(text, start, Math.min(text.length, start + 4 * mostCompared))).slice(
    0,
    counterparts.length,
  );
  const last = counterparts.length - 1;
  return lines.map((line, index) => {
    const begun = index === 0 ? lineFrom(line, counterparts[0] ?? '') : line;
    return index === last ? lineUpTo(begun, counterparts[last] ?? '', last > 0) : begun;
  });
}

/** A line from where the string begins in its counterpart: that may be no more than what ends the line. */
function lineFrom(line: string, counterpart: string): string {
  if (/^[\r\n]/.test(counterpart)) return /[\r\n]*$/.exec(line)?.[0] ?? '';
  if (/^\s+$/.test(counterpart) && /[\r\n]$/.test(counterpart)) return /\s*$/.exec(line)?.[0] ?? '';
  return /^\s/.test(counterpart) ? line : line.replace(/^[^\S\r\n]+/, '');
}

/** A line up to where the string ends in its counterpart: that may be no more than the indentation, if lines precede it. */
function lineUpTo(line: string, counterpart: string, isPreceded: boolean): string {
  if (/[\r\n]$/.test(counterpart)) return line;
  if (isPreceded && /^\s+$/.test(counterpart)) return /^[^\S\r\n]*/.exec(line)?.[0] ?? '';
  return line.replace(/[\r\n]+$/, '');
}

/** Where in the joined lines the first difference is, so that it is among what is quoted of a long text. */
function placeOfDifference(there: readonly string[], counterparts: readonly string[], differing: number): number {
  const index = Math.max(differing, 0);
  const before = there.slice(0, index).join('').length;
  const [line = '', wanted = ''] = [there[index], counterparts[index]];
  const start = index === 0 ? beginningIn(line, wanted) : 0;
  let same = 0;
  while (same < wanted.length && line[start + same] === wanted[same]) same += 1;
  return before + start + same;
}

/** Where in `there` the beginning of `line` fits best: a string may begin within a line. */
function beginningIn(there: string, line: string): number {
  const most = Math.min(line.length, mostAligned);
  return there.indexOf(
    line.slice(
      0,
      longestSuch(most, (length) => there.includes(line.slice(0, length))),
    ),
  );
}

/** The text between two places, without a character that extends past the end. @param start of a character */
function decode(text: Buffer, start: number, end: number): string {
  let last = Math.min(end, start + 4 * mostCompared);
  while (last > start && last < text.length && ((text[last] ?? 0) & 0xc0) === 0x80) last -= 1;
  let first = start;
  while (first < last && ((text[first] ?? 0) & 0xc0) === 0x80) first += 1;
  return text.toString('utf8', first, last);
}

function startOfLine(text: Buffer, start: number, linesBack: number): number {
  let at = start;
  for (let left = linesBack; left >= 0 && at > 0; at--) {
    const byte = text[at - 1];
    if (byte === LF || (byte === CR && text[at] !== LF)) left -= 1;
    if (left < 0) break;
  }
  return at;
}

/** @returns at most three, the most likely first; none if `wanted` has fewer than three characters */
function nearestLines(text: Buffer, wanted: Buffer): readonly NearLine[] {
  const groups = new Uint8Array(tableSize);
  const size = scanLines(wanted, (group) => {
    groups[group] = 1;
  });
  const nearest: NearLine[] = [];
  if (size === 0) return nearest;
  let hits = 0;
  const finish = (line: number, start: number, end: number, count: number): void => {
    const likeness = (2 * Math.min(hits, size)) / (size + count);
    hits = 0;
    if (likeness < leastLikeness || likeness <= (nearest[mostLines - 1]?.likeness ?? 0)) return;
    const sameLine = nearest.findIndex((other) => other.line === line);
    if (sameLine !== -1 && likeness <= (nearest[sameLine]?.likeness ?? 0)) return;
    if (sameLine !== -1) nearest.splice(sameLine, 1);
    nearest.push({ line, start, end, likeness });
    nearest.sort((a, b) => b.likeness - a.likeness || a.line - b.line);
    nearest.length = Math.min(nearest.length, mostLines);
  };
  const count = (group: number): void => {
    hits += groups[group] ?? 0;
  };
  scanLines(text, count, finish, Math.max(longestWhole, 2 * size));
  return nearest;
}

/**
 * @param group receives the hash of every three consecutive characters of a line, blanks left out
 * @param finish receives the end of every line and how many groups it had
 * @param most groups in a part of a line
 * @returns how many groups the last line has
 */
function scanLines(
  text: Buffer,
  group: (hash: number) => void,
  finish?: (line: number, start: number, end: number, groups: number) => void,
  most = Infinity,
): number {
  let line = 1;
  let start = 0;
  let characters = 0;
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0;
    if (byte === LF || byte === CR) {
      finish?.(line, start, at, Math.max(0, characters - 2));
      if (byte === CR && text[at + 1] === LF) at += 1;
      line += 1;
      start = at + 1;
      characters = 0;
    } else if (byte > 0x20) {
      const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
      last = ((last << 8) | lower) & 0xffffff;
      characters += 1;
      if (characters < 3) continue;
      group(Math.imul(last, 0x9e3779b1) >>> 16);
      if (characters - 2 < most) continue;
      finish?.(line, start, at + 1, most);
      start = at + 1;
      characters = 0;
    }
  }
  const groups = Math.max(0, characters - 2);
  if (start < text.length) finish?.(line, start, text.length, groups);
  return groups;
}

/**
 * The first line of a text that has the beginning or the end of a short one: `x = 2` and `x = 1` share too few groups of
 * characters to be matched by those. Takes 4 ms for 1 MB.
 */
function lineWithEdge(text: Buffer, wanted: string): NearLine | undefined {
  if (wanted.length > longestByEdge) return undefined;
  const bytes = Buffer.from(wanted);
  const edges = [
    (length: number) => bytes.subarray(0, length),
    (length: number) => bytes.subarray(bytes.length - length),
  ];
  // As bytes: Node 24 aborts the process when a Buffer is asked for some strings.
  const shared = edges.map((edge) => edge(longestSuch(bytes.length, (length) => text.includes(edge(length)))));
  const [best = bytes] = shared.sort((a, b) => b.length - a.length);
  if (best.length < Math.max(leastShared.bytes, leastShared.part * bytes.length)) return undefined;
  const at = text.indexOf(best);
  return {
    line: lineAt(text, at),
    start: startOfLine(text, at, 0),
    end: endOfLine(text, at),
    likeness: best.length / bytes.length,
  };
}

/** The greatest length up to `most` for which this holds. It must hold for all shorter ones. */
function longestSuch(most: number, holds: (length: number) => boolean): number {
  let [least, end] = [0, most];
  while (least < end) {
    const length = Math.ceil((least + end) / 2);
    if (holds(length)) least = length;
    else end = length - 1;
  }
  return least;
}

function endOfLine(text: Buffer, at: number): number {
  const ends = [LF, CR].map((separator) => text.indexOf(separator, at)).filter((end) => end !== -1);
  return Math.min(text.length, ...ends);
}
