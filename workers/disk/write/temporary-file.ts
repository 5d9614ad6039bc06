import type { BigIntStats } from 'node:fs';
import { OperationError, type Notice } from '../../../src/core/errors.js';
import type { Anchor } from '../paths/anchor.js';
import { fstat, open, toCreate, unlink } from '../calls.js';
import { closeQuietly } from '../close.js';
import { letOwnerIn } from '../lock/reserved.js';
import { errnoOf, isSystemError, noticeOf, retrying } from '../system-error.js';
import { tryLock } from '../lock/system-lock.js';

/** A temporary file in the reserved directory, open and locked by this thread. */
export interface TemporaryFile {
  readonly fd: number;
  readonly path: string;
  /** Held until the file is gone: after the working directory was moved away, no process sweeps there. */
  readonly directory: Anchor;
  /** Stats at creation. */
  readonly stats: BigIntStats;
  /** It has taken the name of its target and lost its own. */
  isRenamed: boolean;
}

/**
 * Names of this thread: a random part and a counter. They may be guessable, and loading node:crypto takes 4 ms of its
 * start.
 */
const thread = [Math.random(), Math.random()]
  .map((part) =>
    Math.floor(part * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0'),
  )
  .join('');
let made = 0;

export function uniqueName(): string {
  made = (made + 1) % 0x1_0000_0000;
  return `${thread}${made.toString(16).padStart(8, '0')}`;
}

/** A sweep may mistake a new one for a leftover before it is locked, but not many in a row. */
const mostTemporaries = 4;

/** Create one exclusively with mode 600. @throws the system error; OperationError write_failed if none can be locked */
export function createTemporary(reserved: Anchor, notices: Notice[]): TemporaryFile {
  for (let tries = 0; tries < mostTemporaries; tries++) {
    const path = reserved.path(`${uniqueName()}.tmp`);
    const fd = createNew(path);
    if (fd === undefined) continue;
    reserved.hold();
    let kept = false;
    try {
      if (!retrying(() => tryLock(fd))) continue;
      const stats = fstat(fd);
      letOwnerIn(fd, stats);
      // Between open and lock, a sweep may have removed it as a leftover: then make another.
      kept = stats.nlink > 0n;
      if (kept) return { fd, path, directory: reserved, stats, isRenamed: false };
    } finally {
      if (!kept) discardTemporary({ fd, path, directory: reserved, isRenamed: false }, notices);
    }
  }
  throw new OperationError('write_failed', 'Failed to write file atomically: a temporary file could not be locked', {
    data: { errno: 'EAGAIN' },
  });
}

/**
 * Where the reply is lost, as on FUSE and network file systems, the file exists anyway, and no lock shows that it is in
 * use.
 * @returns undefined if an attempt reported as failed has created it @throws the system error
 */
function createNew(path: string): number | undefined {
  try {
    return open(path, toCreate, 0o600);
  } catch (error) {
    try {
      unlink(path);
    } catch (left) {
      // Usually nothing is there. Report why it was not created; a sweep finds leftovers.
      if (!isSystemError(left)) throw left;
    }
    // No other thread uses this name.
    if (errnoOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/**
 * Discard it. Once its file is in place, its name is gone, or is a second link to a created file. Never fails: the next
 * sweep removes leftovers.
 */
export function discardTemporary(temporary: Omit<TemporaryFile, 'stats'>, notices: Notice[]): void {
  const { fd, path, directory, isRenamed } = temporary;
  closeQuietly(fd, notices);
  try {
    if (!isRenamed) unlink(path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    // It was renamed, or another program has removed the reserved directory.
    if (error.code === 'ENOENT') return;
    notices.push(noticeOf('A temporary file could not be removed', error));
  } finally {
    directory.close();
  }
}
