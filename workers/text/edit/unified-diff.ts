import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatchHunk } from 'diff';
import { findSeparators } from '../lines/separator-ends.js';
import { LF } from '../separators.js';
import { context, linesForward, windowBytes, windowsOf, type Window } from './diff-windows.js';
import type { EditedText } from './edited-text.js';

/** A longer diff is cut: an agent reads it, and pays for it. */
export const mostDiffBytes = 65_536;
/** Approximate size of a hunk header. */
const hunkHeader = 32;
/**
 * The shortest diff is searched for only if the texts differ by at most this many lines: its cost grows with their
 * square.
 */
const mostDiffering = 256;
/** Of a longer part, in bytes of both texts, only the beginning is compared. */
const mostCompared = 8 * mostDiffBytes;

/**
 * The changes of a text as a unified diff that `git apply` accepts; as for git, only `\n` ends a line. Empty if nothing
 * has changed.
 *
 * The library sees only the lines around each change, since the changes are known: 1000 changed lines in 1 MB take it 4
 * ms that way, and 300 if it has to find them in the whole text. A diff that is too long ends with a line that says so,
 * after hunks that apply on their own; of adjacent changes it may contain only the first ones, and then says that the
 * lines after them change too.
 *
 * @param path of the file, with `/` between its parts
 */
export function unifiedDiff(path: string, old: Buffer, edited: EditedText): string {
  const source = edited.source();
  const hunks: StructuredPatchHunk[] = [];
  let room = mostDiffBytes;
  let counted = 0;
  let oldLines = 0;
  let moreLines = 0;
  let left = '';
  for (const window of windowsOf(old, edited.changes(), mostCompared)) {
    const { oldStart, oldEnd, newStart, newEnd } = window;
    const memory = Buffer.allocUnsafe(Math.min(newEnd - newStart, mostCompared));
    // The last window may extend past the end, since the changes after it are not known.
    const bytes = memory.subarray(0, source(memory, newStart));
    oldLines += countLf(old, counted, oldStart);
    counted = oldStart;
    let found = diffWindow(old, bytes, window);
    if (found === undefined || lengthOf(found) > room) {
      found = diffBeginning(old, bytes, window, room);
      left = leftOut(hunks.length + found.length > 0, found.length > 0);
    }
    for (const { lines, ...hunk } of found) {
      const start = hunk.oldStart + oldLines;
      hunks.push({ ...hunk, lines, oldStart: start, newStart: hunk.newStart + oldLines + moreLines });
    }
    if (left !== '') break;
    room -= lengthOf(found);
    moreLines += countLf(bytes) - countLf(old, oldStart, oldEnd);
  }
  if (hunks.length === 0) return left;
  const names = { oldFileName: `a/${path}`, newFileName: `b/${path}`, oldHeader: undefined, newHeader: undefined };
  return formatPatch({ ...names, hunks }, FILE_HEADERS_ONLY) + left;
}

/** @param within whether the last hunk ends within a window: the lines after its last change may change too */
function leftOut(any: boolean, within: boolean): string {
  const reason = `since all of it is longer than ${mostDiffBytes} bytes`;
  if (!any) return `… the diff is left out, ${reason}.\n`;
  const more = within ? ', possibly also to the lines shown unchanged after the last change' : '';
  return `… and more changes${more}: the diff is cut, ${reason}.\n`;
}

/**
 * @param bytes of the new text in the window
 * @returns undefined if the window is too large
 */
function diffWindow(old: Buffer, bytes: Buffer, window: Window): readonly StructuredPatchHunk[] | undefined {
  if (windowBytes(window) > mostCompared) return undefined;
  const { oldStart, oldEnd } = window;
  return diffLines(old.toString('utf8', oldStart, oldEnd), bytes.toString(), oldEnd === old.length);
}

/**
 * The first changes of a window, as many as there is room for; the rest stays as in the old text.
 * @param bytes of the new text in the window, or its beginning: more than there is room for
 */
function diffBeginning(
  old: Buffer,
  bytes: Buffer,
  { oldStart, newStart, changes }: Window,
  room: number,
): readonly StructuredPatchHunk[] {
  // Cut where both texts reach the end of the same line. Positions in the new text count from the window's start.
  let oldLine = oldStart;
  let newLine = 0;
  // Every byte of both may appear in the diff, and one more per line.
  let size = hunkHeader;
  let [oldAt, newAt] = [oldStart, 0];
  const grow = (oldEnd: number, newEnd: number): void => {
    size += oldEnd - oldAt + newEnd - newAt;
    if (size <= room) size += countLf(old, oldAt, oldEnd) + countLf(bytes, newAt, newEnd);
    [oldAt, newAt] = [oldEnd, newEnd];
  };
  for (const [index, { oldEnd, newEnd: end }] of changes.entries()) {
    const newEnd = end - newStart;
    grow(oldEnd, newEnd);
    if (size > room) break;
    const aligned = old[oldEnd - 1] === LF && bytes[newEnd - 1] === LF;
    const rest = aligned ? 0 : old.subarray(oldEnd, changes[index + 1]?.oldStart).indexOf(LF) + 1;
    if (!aligned && rest === 0) continue;
    grow(oldEnd + rest, newEnd + rest);
    const around = linesForward(old, oldAt) - oldAt + context;
    if (size + around > room) break;
    [oldLine, newLine] = [oldAt, newAt];
  }
  if (oldLine === oldStart && newLine === 0) return [];
  const end = linesForward(old, oldLine);
  const kept = old.toString('utf8', oldLine, end);
  return diffLines(
    old.toString('utf8', oldStart, oldLine) + kept,
    bytes.toString('utf8', 0, newLine) + kept,
    end === old.length,
  );
}

/** Size in bytes. */
function lengthOf(hunks: readonly StructuredPatchHunk[]): number {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, hunks.length * hunkHeader);
}

/** The number of line feeds between two positions. */
function countLf(text: Buffer, start = 0, end = text.length): number {
  const { '\n': lf, '\r\n': crlf } = findSeparators(text.subarray(start, end), []).summary.separators;
  return lf + crlf;
}

/** @param isEnd whether both end at the end of their files */
function diffLines(old: string, text: string, isEnd: boolean): readonly StructuredPatchHunk[] {
  const before = linesOf(old);
  const after = linesOf(text);
  const same = sameAround(before, after);
  const changed = [before, after].map(({ length }) => length - same.first - same.last);
  if (Math.max(...changed) === 0) return [];
  // No shorter diff exists. Most edits are of this kind, for which the library takes ten times as long.
  if (Math.min(...changed) === 0 || Math.max(...changed) === 1) return [hunkBetween(before, after, same)];
  const found = structuredPatch('', '', old, text, undefined, undefined, { context, maxEditLength: mostDiffering });
  // The library may match the lines after a change with lines in it. GNU patch takes a hunk with fewer lines after its
  // change than before it for the end of the file, and puts it there if it can; git does so for one without any.
  const behind = found?.hunks.at(-1)?.lines.slice(-context) ?? [];
  const isWhole = isEnd || behind.every((line) => line.startsWith(' '));
  return found !== undefined && isWhole ? found.hunks : [hunkBetween(before, after, same)];
}

/** Lines at the beginning and at the end that are the same in both. */
interface Same {
  readonly first: number;
  readonly last: number;
}

/** Lines that could count as either count as the end, since a hunk needs some there. */
function sameAround(before: readonly string[], after: readonly string[]): Same {
  const most = Math.min(before.length, after.length);
  let last = 0;
  while (last < most && before.at(-1 - last) === after.at(-1 - last)) last += 1;
  let first = 0;
  while (first < most - last && before[first] === after[first]) first += 1;
  return { first, last };
}

/** All old lines out, all new lines in, except the common ones. */
function hunkBetween(before: readonly string[], after: readonly string[], { first, last }: Same): StructuredPatchHunk {
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
