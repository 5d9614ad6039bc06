/** Finds the lines of a file that most resemble a text that is not in it. */
import { lineAt } from '../find/line-numbers.js';
import { lineWithEdge, longestSuch, nearestLines, startOfLine, type NearLine } from '../find/near-lines.js';
import { findAll } from '../find/search.js';
import { bomLength } from '../separators.js';
import { linesIn, listed, mostCompared, mostQuoted, quote, type Sought } from './advice.js';
import { looksLikePattern } from './variants.js';

/** How much of each further similar line is quoted, in UTF-16 units. */
const mostOfOthers = 120;
/** How many lines of a string are searched for exactly, and by likeness, which takes about 10 ms for 1 MB. */
const mostTried = { exactly: 8, byLikeness: 3 } as const;
/** How much of a line's beginning is searched for within another line, in UTF-16 units. */
const mostAligned = 200;

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
  // As many lines before the pivot as there is room for.
  const around = Math.min(pivot, best.line - 1);
  const firstLine = best.line - around;
  const counterparts = lines.slice(pivot - around);
  const start = startOfLine(text, best.start, around);
  // A byte order mark belongs to the file, not to its first line.
  const there = linesAt(text, wanted.startsWith('\ufeff') ? start : Math.max(start, bomLength(text)), counterparts);
  const differing = there.findIndex((each, index) => each !== counterparts[index]);
  const lastLine = firstLine + Math.max(0, there.length - 1);
  const at = lastLine === firstLine ? `line ${firstLine}` : `lines ${firstLine}-${lastLine}`;
  const from = differing > 0 ? `, differing from line ${firstLine + differing} onward` : '';
  const also = others
    .filter(({ line }) => line < firstLine || line > lastLine)
    .map(({ line, start, end }) => `line ${line} (${quote(decode(text, start, end), mostOfOthers)})`);
  const more = also.length === 0 ? '' : ` Also similar: ${listed(also)}.`;
  const quoted = quote(there.join(''), mostQuoted, placeOfDifference(there, counterparts, differing));
  return `The nearest text${where} is at ${at}${from}: ${quoted}.${more} Send ${parameter} exactly as it is in the file.${literally}`;
}

/** The index of a line in a string, and the lines of the text that equal or resemble it. */
interface Aligned {
  readonly pivot: number;
  readonly near: readonly NearLine[];
}

/**
 * Aligned by the longest line that is in the text exactly once, as most lines of a block are; else by the longest line
 * that has a similar one.
 */
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
 * The lines of the text from `start` that correspond to the string's, cut at its edges where the string leaves
 * something out: an agent sends a quoted indentation back, and its replacement would then lose that indentation.
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

/** A line from the point where the string begins in its counterpart, which may be only the line's ending. */
function lineFrom(line: string, counterpart: string): string {
  if (/^[\r\n]/.test(counterpart)) return /[\r\n]*$/.exec(line)?.[0] ?? '';
  if (/^\s+$/.test(counterpart) && /[\r\n]$/.test(counterpart)) return /\s*$/.exec(line)?.[0] ?? '';
  return /^\s/.test(counterpart) ? line : line.replace(/^[^\S\r\n]+/, '');
}

/**
 * A line up to the point where the string ends in its counterpart, which may be only the indentation if lines precede
 * it.
 */
function lineUpTo(line: string, counterpart: string, isPreceded: boolean): string {
  if (/[\r\n]$/.test(counterpart)) return line;
  if (isPreceded && /^\s+$/.test(counterpart)) return /^[^\S\r\n]*/.exec(line)?.[0] ?? '';
  return line.replace(/[\r\n]+$/, '');
}

/** Offset of the first difference in the joined lines, so the quote of a long text includes it. */
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

/** The text between two offsets, without a character that extends past the end. @param start of a character */
function decode(text: Buffer, start: number, end: number): string {
  let last = Math.min(end, start + 4 * mostCompared);
  while (last > start && last < text.length && ((text[last] ?? 0) & 0xc0) === 0x80) last -= 1;
  let first = start;
  while (first < last && ((text[first] ?? 0) & 0xc0) === 0x80) first += 1;
  return text.toString('utf8', first, last);
}
