import { LF } from '../separators.js';
import type { ChangedPart } from './edited-text.js';

/** Lines of context around a change. */
export const context = 3;

/** A part of both texts, bounded by whole lines that are the same in both. */
export interface Window {
  readonly oldStart: number;
  oldEnd: number;
  readonly newStart: number;
  newEnd: number;
  readonly changes: ChangedPart[];
}

/**
 * The changes with the lines around them; adjacent windows are merged.
 * @param most bytes of both texts: a window over this size takes in at most one more change, and is then the last one
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

/** Size in bytes of both texts. */
export function windowBytes({ oldStart, oldEnd, newStart, newEnd }: Window): number {
  return oldEnd - oldStart + newEnd - newStart;
}

/** Start of the line `context` lines before the one that contains `at`. */
function linesBack(text: Buffer, at: number): number {
  let start = lineStart(text, at);
  for (let lines = 0; lines < context && start > 0; lines++) start = lineStart(text, start - 1);
  return start;
}

function lineStart(text: Buffer, at: number): number {
  // A negative position would count from the end.
  return at === 0 ? 0 : text.lastIndexOf(LF, at - 1) + 1;
}

/** End of the line `context` lines after the one that contains `at`. */
export function linesForward(text: Buffer, at: number): number {
  let end = at;
  for (let lines = 0; lines <= context && end < text.length; lines++) {
    const found = text.indexOf(LF, end);
    end = found === -1 ? text.length : found + 1;
  }
  return end;
}
