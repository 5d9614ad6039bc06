/** When a new version of a file says that it was written. */
import type { BigIntStats } from 'node:fs';
import type { Notice } from '../../src/errors.js';
import { futimes } from './calls.js';
import { describe, isSystemError } from './system-error.js';

const nsPerS = 1e9;

/**
 * A rename leaves the time of the last write as it is, which may be long ago: for a sync, 5 to 40 ms. To make, and to
 * all who compare times, the new version would be older than what others have made of the old one meanwhile (a source
 * of 9 MB that was edited while make ran was "up to date" for good in 12 of 60 runs). The time is told by the clock of
 * the file system, which may be that of another machine: its own stamp, and what has passed since.
 *
 * Set even if next to nothing has passed: it then differs from the time of the rename, which tells the next edit that
 * nobody is in the middle of writing this file (commit/unfinished.ts).
 * @param stats of the file behind its last write
 * @param lastWriteBegan as performance.now() counts: kernels stamp a file when a write begins
 */
export function renewTime(fd: number, { mtimeNs }: BigIntStats, lastWriteBegan: number, notices: Notice[]): void {
  try {
    futimes(fd, Number(mtimeNs) / nsPerS + (performance.now() - lastWriteBegan) / 1000);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    notices.push({ message: `The time of a file could not be set: ${describe(error)}`, errno: error.code });
  }
}
