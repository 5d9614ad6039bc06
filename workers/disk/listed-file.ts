import { constants, type BigIntStats } from 'node:fs';
import { access, fstat, open } from './calls.js';
import { closeRead } from './close.js';
import { errnoOf } from './system-error.js';

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Listing is not reading. Without O_NOATIME the first listing after a change updates the access time of every file,
 * which takes as long as opening it. Only owners may use the flag; once one file refuses it, it is not used again.
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
 * Look into a file that its directory lists as a regular one, with half the system calls of a careful open.
 * @param use receives its current stats and its descriptor
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

/** Whether this process has the rights of `mode` (R_OK, W_OK). Takes 1 µs, by an anchored path 3. */
export function isAllowed(path: string, mode: number): boolean {
  try {
    access(path, mode);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
