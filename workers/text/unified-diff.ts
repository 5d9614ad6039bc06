import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatchHunk } from 'diff';
import type { ChangedSpan } from './replacements.js';
import { LF } from './separators.js';

/** A longer diff is cut: it is read by an agent, and paid for. */
export const mostDiffBytes = 65_536;
/** Bytes of the line above a hunk, about. */
const hunkHeader = 32;
/** Lines around a change. */
const context = 3;
/** Lines by which two texts may differ for the shortest diff to be looked for, which takes the square of it. */
const mostDiffering = 256;

/** A part of both texts that begins and ends with whole lines, the same ones in both. */
interface Window {
  readonly oldStart: number;
  oldEnd: number;
  readonly newStart: number;
  newEnd: number;
}

/**
 * What has changed in a text, as a unified diff that `git apply` takes; its lines end in `\n` only, as they do for git. Empty
 * if nothing has.
 *
 * The library finds the shortest diff of the lines around each change only: of two whole texts of 1 MB that differ in 1000
 * lines it would take a second, and so takes 20 ms. Longer than 64 KB, it ends with a line that says what is left out.
 *
 * @param path of the file, with `/` between its parts
 * @param changes all that differs, in order
 */
export function unifiedDiff(path: string, old: Buffer, bytes: Buffer, changes: readonly ChangedSpan[]): string {
  if (changes.length === 0) return '';
  const hunks: StructuredPatchHunk[] = [];
  let room = mostDiffBytes;
  let counted = 0;
  let oldLines = 0;
  let moreLines = 0;
  let left = '';
  for (const { oldStart, oldEnd, newStart, newEnd } of windowsOf(old, changes)) {
    oldLines += countLf(old, counted, oldStart);
    counted = oldStart;
    const size = oldEnd - oldStart + newEnd - newStart;
    const found =
      size > 8 * mostDiffBytes
        ? []
        : diffLines(old.toString('utf8', oldStart, oldEnd), bytes.toString('utf8', newStart, newEnd));
    for (const hunk of found) {
      hunk.oldStart += oldLines;
      hunk.newStart += oldLines + moreLines;
      room -= hunk.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, hunkHeader);
      if (room >= 0) hunks.push(hunk);
    }
    if (room < 0 || found.length === 0) {
      left = `… and more changes: the diff is cut, since all of it is longer than ${mostDiffBytes} bytes.\n`;
      break;
    }
    moreLines += countLf(bytes, newStart, newEnd) - countLf(old, oldStart, oldEnd);
  }
  if (hunks.length === 0) return left;
  const names = { oldFileName: `a/${path}`, newFileName: `b/${path}`, oldHeader: undefined, newHeader: undefined };
  return formatPatch({ ...names, hunks }, FILE_HEADERS_ONLY) + left;
}

/** The changes with the lines around them; those that then touch each other are one. */
function* windowsOf(old: Buffer, changes: readonly ChangedSpan[]): Generator<Window> {
  let open: Window | undefined;
  for (const change of changes) {
    const start = linesBack(old, change.oldStart);
    const end = linesForward(old, change.oldEnd);
    const newEnd = change.newEnd + end - change.oldEnd;
    if (open !== undefined && start <= open.oldEnd) {
      open.oldEnd = end;
      open.newEnd = newEnd;
      continue;
    }
    if (open !== undefined) yield open;
    open = { oldStart: start, oldEnd: end, newStart: change.newStart - (change.oldStart - start), newEnd };
  }
  if (open !== undefined) yield open;
}

/** The start of the line so many before the one in which `at` lies. */
function linesBack(text: Buffer, at: number): number {
  let start = lineStart(text, at);
  for (let lines = 0; lines < context && start > 0; lines++) start = lineStart(text, start - 1);
  return start;
}

function lineStart(text: Buffer, at: number): number {
  // A negative place would be counted from the end.
  return at === 0 ? 0 : text.lastIndexOf(LF, at - 1) + 1;
}

function linesForward(text: Buffer, at: number): number {
  let end = at;
  for (let lines = 0; lines <= context && end < text.length; lines++) {
    const found = text.indexOf(LF, end);
    end = found === -1 ? text.length : found + 1;
  }
  return end;
}

function countLf(text: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf(LF, start); at !== -1 && at < end; at = text.indexOf(LF, at + 1)) count += 1;
  return count;
}

function diffLines(old: string, text: string): readonly StructuredPatchHunk[] {
  const found = structuredPatch('', '', old, text, undefined, undefined, { context, maxEditLength: mostDiffering });
  return found?.hunks ?? [wholeHunk(old, text)];
}

/** All lines out, all lines in, but for those that are the same at the beginning and at the end. */
function wholeHunk(old: string, text: string): StructuredPatchHunk {
  const before = linesOf(old);
  const after = linesOf(text);
  const most = Math.min(before.length, after.length);
  let first = 0;
  while (first < most && before[first] === after[first]) first += 1;
  let last = 0;
  while (last < most - first && before.at(-1 - last) === after.at(-1 - last)) last += 1;
  const start = Math.max(0, first - context);
  const end = Math.max(0, last - context);
  const lines = [
    ...before.slice(start, first).map((line) => ` ${line}`),
    ...before.slice(first, before.length - last).map((line) => `-${line}`),
    ...after.slice(first, after.length - last).map((line) => `+${line}`),
    ...before.slice(before.length - last, before.length - end).map((line) => ` ${line}`),
  ];
  return {
    oldStart: start + 1,
    oldLines: before.length - end - start,
    newStart: start + 1,
    newLines: after.length - end - start,
    lines: lines.flatMap((line) =>
      line.endsWith('\n') ? [line.slice(0, -1)] : [line, '\\ No newline at end of file'],
    ),
  };
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}
