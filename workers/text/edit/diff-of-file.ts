import { isUtf8 } from 'node:buffer';
import { ComparedText } from './compared-text.js';
import type { ChangedText } from './edited-text.js';
import { binaryLine, gitHeader, type ChangedName } from './git-header.js';
import { formatHunks, mostDiffBytes, placedWindows } from './window-hunks.js';

/** A file that a call changes, or would. The text of a link is its target. */
export interface FileChange extends ChangedName {
  /** Absent if the file is new or renamed, or is deleted without having been read. */
  readonly old?: Buffer | undefined;
  /** With its changes if they are known. Absent if the file is deleted or renamed. */
  readonly new?: Buffer | ChangedText | undefined;
}

interface FileDiff {
  /** Empty if nothing has changed after all. */
  readonly text: string;
  /** Whether it ends with the file's header, which the next line might continue. */
  readonly isHeader: boolean;
}

/** Instead of the diff of a file. */
export class LeftOut {
  constructor(readonly reason: string) {}
}

const tooLong = new LeftOut(`all of it is longer than ${mostDiffBytes} bytes`);
const unread = new LeftOut('a deleted file is too large to be shown, or cannot be read');
const tooLarge = new LeftOut('the texts that differ are too large to be compared');

/**
 * Limit on the lines compared for one diff: the library takes 1.2 s for a million. Each of 100 files with very short
 * lines could take 0.3 s.
 */
export class Effort {
  #lines = 1_048_576;

  /** @returns whether this many more lines may be compared */
  allows(lines: number): boolean {
    this.#lines -= lines;
    return this.#lines >= 0;
  }
}

export function hasChanged({ oldPath, newPath, old, new: text }: FileChange): boolean {
  if (oldPath !== newPath) return true;
  if (old === undefined || text === undefined) return false;
  return Buffer.isBuffer(text) ? !old.equals(text) : text.changes()[Symbol.iterator]().next().done !== true;
}

const empty = Buffer.alloc(0);

/**
 * @param room in bytes
 * @param afterHeader whether it stands right after a file's header
 */
export function diffOfFile(file: FileChange, room: number, afterHeader: boolean, effort: Effort): FileDiff | LeftOut {
  const { oldPath, newPath } = file;
  if (newPath === undefined && file.old === undefined) return unread;
  const { old = empty, new: text = empty } = file;
  if (!isUtf8(old) || (Buffer.isBuffer(text) && !isUtf8(text))) {
    // git would take the line for a part of that header, and refuse to change bytes that it does not have.
    return within(room, { text: (afterHeader ? '\n' : '') + binaryLine(file), isHeader: false });
  }
  const hunks = hunksOf(old, Buffer.isBuffer(text) ? new ComparedText(old, text) : text, room, effort);
  if (hunks instanceof LeftOut) return hunks;
  const isHeader = hunks === '';
  // Edits may undo each other.
  if (isHeader && oldPath === newPath) return { text: '', isHeader: false };
  return within(room, { text: gitHeader(file, !isHeader) + hunks, isHeader });
}

function within(room: number, diff: FileDiff): FileDiff | LeftOut {
  return Buffer.byteLength(diff.text) > room ? tooLong : diff;
}

function hunksOf(old: Buffer, text: ChangedText, room: number, effort: Effort): string | LeftOut {
  if (Math.abs(text.length - old.length) > room) return tooLong;
  let all = '';
  let size = 0;
  for (const { lines, before, ...window } of placedWindows(old, text)) {
    const hunks = effort.allows(lines) ? window.hunks() : undefined;
    if (hunks === undefined) return tooLarge;
    const more = formatHunks(hunks, before);
    size += Buffer.byteLength(more);
    if (size > room) return tooLong;
    all += more;
  }
  return all;
}
