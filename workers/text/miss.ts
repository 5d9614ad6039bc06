/**
 * Explains why a string is not in a text, so that the next call is right: where the text is that was meant, what it says, and
 * what differs. Only explains: what is replaced is never anything but the string itself. All of it is a few passes over
 * the text, none of which depends on what it says: 20 to 40 ms for 1 MB.
 */
import { fold } from './case-folding.js';
import { nameDifferences } from './differences.js';
import { countLines } from './lines.js';
import { findLookalikes, type Span } from './lookalikes.js';
import { looksLikePattern, misreadings } from './misread.js';
import { nearestLines } from './nearest-lines.js';
import type { Replacement } from './replacements.js';
import { mixed, type Rope } from './rope.js';
import { findAll } from './search.js';
import { CR, LF } from './separators.js';
import { shown } from './shown.js';
import type { Needle } from './sieve.js';

interface Miss {
  /** What the edits before have made of the old text. */
  readonly rope: Rope;
  readonly old: Buffer;
  readonly replacement: Replacement;
  readonly needle: Needle;
}

/** UTF-16 units of the string that are repeated to its sender, and of a line of the text. */
const mostShown = 120;
/** Bytes of a text that are looked at, and of a string: more would take more than an error may. */
const mostExamined = 4_194_304;
const mostCompared = 65_536;
/** A new string that is shorter is in many texts by chance. */
const shortestTelling = 4;

/** @returns sentences, beginning with `String not found: "…"` */
export function explainMiss(miss: Miss): string {
  const { old_string } = miss.replacement;
  const text = miss.rope.toBuffer().subarray(0, mostExamined);
  const told = [`String not found: ${shown(old_string, mostShown)}.`];
  const applied = alreadyApplied(text, miss.replacement);
  if (applied !== undefined) told.push(applied);
  told.push(
    matchedBefore(miss) ?? misread(text, old_string) ?? lookalike(text, old_string) ?? nearest(text, old_string),
  );
  return told.join(' ');
}

function alreadyApplied(text: Buffer, { old_string, new_string }: Replacement): string | undefined {
  if (new_string.trim().length < shortestTelling || old_string.includes(new_string)) return undefined;
  const [start] = findAll(text, Buffer.from(new_string), false, 1);
  if (start === undefined) return undefined;
  return `new_string is already in the text, at line ${lineAt(text, start)}: this edit may have been made before.`;
}

/** The edits of the same request have changed it. */
function matchedBefore({ rope, old, needle }: Miss): string | undefined {
  const { bytes, sourceOffset } = needle.folded
    ? fold(old.subarray(0, mostExamined))
    : { bytes: old, sourceOffset: (offset: number) => offset };
  const [found] = findAll(bytes, needle.bytes, false, 1);
  if (found === undefined) return undefined;
  const start = sourceOffset(found);
  const end = sourceOffset(found + needle.bytes.length);
  const changers = rope.pieces.filter(({ edit, oldStart, oldEnd }) => edit !== 0 && oldStart < end && oldEnd >= start);
  const edits = [...new Set(changers.map(({ edit }) => edit))].sort((a, b) => a - b);
  const [first = mixed] = edits;
  const which = edits.length === 1 && first !== mixed ? `edit ${first}` : 'earlier edits';
  return `It was at line ${lineAt(old, start)} until ${which} of this request changed that text: each edit is matched against what the edits before it have left. Write old_string as the text is then, or put this edit first.`;
}

function misread(text: Buffer, wanted: string): string | undefined {
  if (wanted.length > mostCompared) return undefined;
  for (const { mend, advice } of misreadings) {
    const mended = mend(wanted);
    if (mended === undefined) continue;
    const [start] = findAll(text, Buffer.from(mended), false, 1);
    if (start !== undefined) return advice(lineAt(text, start));
  }
  return undefined;
}

/** The same but for white space, case, quotes and the like. */
function lookalike(text: Buffer, wanted: string): string | undefined {
  const string = Buffer.from(wanted);
  if (string.length > mostCompared) return undefined;
  const places = findLookalikes(text, string).filter(({ start, end }) => end - start <= 2 * mostCompared);
  for (const place of places) {
    const { start, end } = withSurroundings(text, place, wanted);
    const found = text.toString('utf8', start, end);
    const names = nameDifferences(wanted, found);
    if (names === undefined || names.length === 0) continue;
    const others = places.length > 1 ? ' (and similar text elsewhere)' : '';
    const where = `The text at line ${lineAt(text, start)}${others} differs from it only in ${listed(names)}`;
    return `${where}: ${firstDifference(found, wanted, lineAt(text, start))} ${adviceFor(names, found)}`;
  }
  return undefined;
}

function adviceFor(names: readonly string[], found: string): string {
  if (names.length === 1 && names[0] === 'line endings') {
    const separator = found.includes('\r\n') ? '\\r\\n' : found.includes('\r') ? '\\r' : '\\n';
    return `Send ${separator} for every line ending in old_string, and in new_string to keep them.`;
  }
  return 'Send old_string exactly as it is in the file.';
}

/** With the white space around it that belongs to what was wanted, as far as that has such. */
function withSurroundings(text: Buffer, { start, end }: Span, wanted: string): Span {
  const leading = wanted.slice(0, wanted.length - wanted.trimStart().length);
  const trailing = wanted.slice(wanted.trimEnd().length);
  return {
    start: leading === '' ? start : start - blanksBefore(text, start, separatorsIn(leading)),
    end: trailing === '' ? end : end + blanksBehind(text, end, separatorsIn(trailing)),
  };
}

function separatorsIn(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0;
}

function blanksBefore(text: Buffer, start: number, separators: number): number {
  let left = separators;
  let at = start;
  for (; at > 0 && start - at < mostCompared; at--) {
    const byte = text[at - 1];
    if (byte === LF || (byte === CR && text[at] !== LF)) left -= 1;
    else if (byte !== CR && byte !== 0x20 && byte !== 0x09) break;
    if (left < 0) break;
  }
  return start - at;
}

function blanksBehind(text: Buffer, end: number, separators: number): number {
  let left = separators;
  let at = end;
  for (; at < text.length && at - end < mostCompared; at++) {
    const byte = text[at];
    if (byte === CR || (byte === LF && text[at - 1] !== CR)) left -= 1;
    else if (byte !== LF && byte !== 0x20 && byte !== 0x09) break;
    if (left < 0) break;
  }
  return at - end;
}

function nearest(text: Buffer, wanted: string): string {
  if (text.length === 0) return 'The text is empty.';
  const literally = looksLikePattern(wanted) ? ' old_string is taken literally, not as a regular expression.' : '';
  const lines = wanted.slice(0, mostCompared).split(/(?<=\n)|(?<=\r)(?!\n)/);
  const lengths = lines.map((line) => line.trim().length);
  const probe = lengths.indexOf(Math.max(...lengths));
  const near = nearestLines(text, Buffer.from(lines[probe]?.trim().slice(0, 1_000) ?? ''));
  const [best, ...others] = near;
  if (best === undefined) return `No line of the text is like it: read the file again.${literally}`;
  const firstLine = Math.max(1, best.line - probe);
  const start = startOfLine(text, best.start, best.line - firstLine);
  const block = text.toString('utf8', start, Math.min(text.length, start + 2 * mostCompared));
  const also = others.map(
    ({ line, start: from, end }) => `line ${line} (${shown(lineText(text, from, end), mostShown)})`,
  );
  const more = also.length === 0 ? '' : ` Also similar: ${listed(also)}.`;
  const skipped = lines.slice(Math.max(0, probe + 1 - best.line)).join('');
  return `The nearest text is at line ${best.line}: ${firstDifference(block, skipped, firstLine)}${more} Send old_string exactly as it is in the file.${literally}`;
}

function lineText(text: Buffer, start: number, end: number): string {
  return text.toString('utf8', start, Math.min(end, start + mostCompared));
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

/**
 * The first line in which the two differ, as both have it.
 * @param found begins with what `wanted` should be, or within the line in which it should begin
 * @param firstLine number of its first line
 */
function firstDifference(found: string, wanted: string, firstLine: number): string {
  const lines = found.split(/(?<=\n)|(?<=\r)(?!\n)/);
  const wantedLines = wanted.split(/(?<=\n)|(?<=\r)(?!\n)/);
  const last = wantedLines.length - 1;
  const index = wantedLines.findIndex((line, number) => {
    const there = lines[number] ?? '';
    if (number === 0 && number === last) return !there.includes(line);
    return number === 0 ? !there.endsWith(line) : number === last ? !there.startsWith(line) : there !== line;
  });
  const differing = Math.max(0, index);
  const there = lines[differing] ?? '';
  const line = wantedLines[differing] ?? '';
  let same = 0;
  while (same < there.length && there[same] === line[same]) same += 1;
  const has = there === '' ? 'the file ends' : `the file has ${shown(there, mostShown, same)}`;
  return `at line ${firstLine + differing} ${has} where old_string has ${shown(line, mostShown, same)}.`;
}

/** The number of the line in which a byte lies. */
function lineAt(text: Buffer, offset: number): number {
  const before = text.subarray(0, offset);
  const lines = countLines(before);
  const last = before.at(-1);
  const inNewLine = last === LF || (last === CR && text[offset] !== LF) || lines === 0;
  return inNewLine ? lines + 1 : lines;
}

function listed(names: readonly string[]): string {
  return names.length <= 1 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
