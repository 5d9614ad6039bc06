/** When a new version of a file says that it was written. */
import type { BigIntStats } from 'node:fs';
import type { Notice } from '../../src/errors.js';
import { futimes } from './calls.js';
import { describe, isSystemError } from './system-error.js';

/** Kernels stamp files once per tick, which is as long or longer. In milliseconds. */
const leastLateMs = 1;
const nsPerS = 1e9;

/**
 * A rename leaves the time of the last write as it is, which may be long ago: for a sync, 5 to 40 ms. To make, and to
 * all who compare times, the new version would be older than what others have made of the old one meanwhile (a source
 * of 9 MB that was edited while make ran was "up to date" for good in 12 of 60 runs). The time is told by the clock of
 * the file system, which may be that of another machine: its own stamp, and what has passed since.
 * @param stats of the file behind its last write
 * @param began when that write began, as performance.now() counts
 */
export function renewTime(fd: number, { mtimeNs }: BigIntStats, began: number, notices: Notice[]): void {
  const lateMs = performance.now() - began;
  if (lateMs < leastLateMs) return;
  try {
    futimes(fd, Number(mtimeNs) / nsPerS + lateMs / 1000);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    notices.push({ message: `The time of a file could not be set: ${describe(error)}`, errno: error.code });
  }
}
