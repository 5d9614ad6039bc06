import { closeSync, type BigIntStats } from 'node:fs';
import type { Notice } from '../../src/errors.js';
import { closeMeanwhile } from '../closing.js';
import { fstat } from './calls.js';
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
const largeFile = 262_144n;

/**
 * As closeRead, behind the answer. What was replaced meanwhile goes with its last descriptor. To free a file of 1 KB takes
 * 0.2 ms on ext4, one of 1 MB more than to write it, and longer while the journal is written for others; so that is left to a
 * thread of libuv (64 files, 32 clients, 2 cores: 25 % more edits in a second).
 * @param size of the file, in bytes
 * @param othersHaveWork for the thread to go on with
 */
export function closeLater(fd: number, size: bigint, othersHaveWork: boolean): void {
  const nameless = othersHaveWork || size >= largeFile ? statsIfNameless(fd) : undefined;
  if (nameless && closeMeanwhile(fd, nameless, (error) => error === null || tolerate(error))) return;
  setImmediate(closeRead, fd);
}

function statsIfNameless(fd: number): BigIntStats | undefined {
  try {
    const stats = fstat(fd);
    return stats.nlink === 0n ? stats : undefined;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
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
