import { constants, type BigIntStats } from 'node:fs';
import { access, fstat, open } from './calls.js';
import { closeRead } from './close.js';
import { errnoOf } from './system-error.js';

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * To be listed is not to be read: without this the first listing after a change writes the time of access of every file,
 * which takes as long as to open it. Only owners may ask for it; where one file refuses, no other is asked.
 */
let untouched = constants.O_NOATIME ?? 0;

function openUntouched(path: string): number {
  try {
    return open(path, flags | untouched);
  } catch (error) {
    if (untouched === 0 || errnoOf(error) !== 'EPERM') throw error;
    untouched = 0;
    return open(path, flags);
  }
}

/**
 * Look into a file that a directory lists as a regular one, with half the system calls of opening it with care.
 * @param use gets what it is now, and its descriptor
 * @throws the system error if it cannot be opened
 */
export function withListed<Result>(path: string, use: (stats: BigIntStats, fd: number) => Result): Result {
  const fd = openUntouched(path);
  try {
    return use(fstat(fd), fd);
  } finally {
    closeRead(fd);
  }
}

/** Whether this process has the rights of `mode` (R_OK, W_OK): 1 µs, and 3 by an anchored path. */
export function isAllowed(path: string, mode: number): boolean {
  try {
    access(path, mode);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
