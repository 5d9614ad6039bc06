import { FILE_HEADERS_ONLY, formatPatch } from 'diff';
import { LF } from '../separators.js';
import { context, linesForward, type Window } from './diff-windows.js';
import type { EditedText } from './edited-text.js';
import { countLf, diffLines, formatHunks, mostDiffBytes, placedWindows, type Hunk } from './window-hunks.js';

/** Approximate size of a hunk header. */
const hunkHeader = 32;

/**
 * The changes of a text as a unified diff that `git apply` accepts; empty if nothing has changed.
 *
 * A diff that is too long ends with a line that says so, after hunks that apply on their own. It may contain only the
 * first of several adjacent changes, and then says that the lines after them change too.
 *
 * @param path of the file, with `/` between its parts
 */
export function unifiedDiff(path: string, old: Buffer, edited: EditedText): string {
  let diff = '';
  let room = mostDiffBytes;
  let left = '';
  for (const { window, bytes, before, ...placed } of placedWindows(old, edited)) {
    let found = placed.hunks();
    if (found === undefined || lengthOf(found) > room) {
      found = diffBeginning(old, bytes, window, room);
      left = leftOut(diff !== '' || found.length > 0, found.length > 0);
    }
    diff += formatHunks(found, before);
    if (left !== '') break;
    room -= lengthOf(found);
  }
  return diff === '' ? left : namesOf(path) + diff + left;
}

function namesOf(path: string): string {
  const names = { oldFileName: `a/${path}`, newFileName: `b/${path}`, oldHeader: undefined, newHeader: undefined };
  return formatPatch({ ...names, hunks: [] }, FILE_HEADERS_ONLY);
}

/** @param within whether the last hunk ends within a window: the lines after its last change may change too */
function leftOut(any: boolean, within: boolean): string {
  const reason = `since all of it is longer than ${mostDiffBytes} bytes`;
  if (!any) return `… the diff is left out, ${reason}.\n`;
  const more = within ? ', possibly also to the lines shown unchanged after the last change' : '';
  return `… and more changes${more}: the diff is cut, ${reason}.\n`;
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
): readonly Hunk[] {
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
function lengthOf(hunks: readonly Hunk[]): number {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, hunks.length * hunkHeader);
}
