import { close, closeSync } from 'node:fs';
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

/** From this size on, in bytes, to free a file takes longer than to hand it to another thread. */
const largeFile = 262_144;

/**
 * As closeRead, behind the answer: what was replaced meanwhile goes with its last descriptor. To free a file of 1 KB takes
 * 0.2 ms on ext4, one of 1 MB more than to write it, so that is left to a thread of libuv; but only if one is free, since a
 * worker that ends while it waits for one leaves the file open for good.
 * @param size of the file, in bytes
 */
export function closeLater(fd: number, size: number, threadsAreFree: boolean): void {
  if (size >= largeFile && threadsAreFree) close(fd, (error) => error === null || tolerate(error));
  else setImmediate(closeRead, fd);
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
    return tolerate(error);
  }
}

/** @throws EBADF: closed before, by mistake of this program. The number may be another thread's by now. */
function tolerate(error: unknown): SystemError | undefined {
  if (!isSystemError(error) || error.code === 'EBADF') throw error;
  return error;
}
