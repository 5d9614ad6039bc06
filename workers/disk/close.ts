import { closeSync } from 'node:fs';
import type { Notice } from '../../src/errors.js';
import { describe, isSystemError, type SystemError } from './system-error.js';

/**
 * Close what was only read, or walked through. An error of the file system is no failure: nothing was written through
 * the descriptor, and the system lets it go in any case. Thrown, it would make a failed write of one that is done, or
 * end the thread.
 */
export function closeRead(fd: number): void {
  tryToClose(fd);
}

/** Close what was written; before that, its sync has told whether it is on the disk. */
export function closeQuietly(fd: number, notices: Notice[]): void {
  const error = tryToClose(fd);
  if (error === undefined) return;
  notices.push({ message: `A file could not be closed: ${describe(error)}`, errno: error.code });
}

function tryToClose(fd: number): SystemError | undefined {
  try {
    closeSync(fd);
    return undefined;
  } catch (error) {
    // EBADF: closed before, by mistake of this program. The number may be another thread's by now.
    if (!isSystemError(error) || error.code === 'EBADF') throw error;
    return error;
  }
}
