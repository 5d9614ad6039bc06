import { LF } from '../separators.js';
import type { ChangedPart } from './edited-text.js';

/** How many lines around a change. */
export const context = 3;

/** A part of both texts that begins and ends with whole lines, which are the same in both. */
export interface Window {
  readonly oldStart: number;
  oldEnd: number;
  readonly newStart: number;
  newEnd: number;
  readonly changes: ChangedPart[];
}

/**
 * The changes with the lines around them; windows that touch each other become one.
 * @param most bytes of both texts: a window that has more takes in one more change at most, and is then the last one
 */
export function* windowsOf(old: Buffer, changes: Iterable<ChangedPart>, most: number): Generator<Window> {
  let open: Window | undefined;
  for (const change of changes) {
    const start = linesBack(old, change.oldStart);
    const end = linesForward(old, change.oldEnd);
    const newEnd = change.newEnd + end - change.oldEnd;
    if (open !== undefined && start <= open.oldEnd) {
      const isFull = windowBytes(open) > most;
      open.oldEnd = end;
      open.newEnd = newEnd;
      open.changes.push(change);
      if (isFull) break;
      continue;
    }
    if (open !== undefined) yield open;
    open = {
      oldStart: start,
      oldEnd: end,
      newStart: change.newStart - (change.oldStart - start),
      newEnd,
      changes: [change],
    };
  }
  if (open !== undefined) yield open;
}

/** In bytes of both texts. */
export function windowBytes({ oldStart, oldEnd, newStart, newEnd }: Window): number {
  return oldEnd - oldStart + newEnd - newStart;
}

/** The start of the line that many lines before the one that contains `at`. */
function linesBack(text: Buffer, at: number): number {
  let start = lineStart(text, at);
  for (let lines = 0; lines < context && start > 0; lines++) start = lineStart(text, start - 1);
  return start;
}

function lineStart(text: Buffer, at: number): number {
  // A negative place would count from the end.
  return at === 0 ? 0 : text.lastIndexOf(LF, at - 1) + 1;
}

/** The end of the line that many lines after the one that contains `at`. */
export function linesForward(text: Buffer, at: number): number {
  let end = at;
  for (let lines = 0; lines <= context && end < text.length; lines++) {
    const found = text.indexOf(LF, end);
    end = found === -1 ? text.length : found + 1;
  }
  return end;
}
