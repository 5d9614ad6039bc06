import { closeSync, constants } from 'node:fs';
import { tryLock, unlock } from 'fs-native-extensions';
import type { Notice } from '../../src/errors.js';
import { fstat, open } from './calls.js';
import { closeRead } from './close.js';
import type { Reserved } from './reserved.js';
import { describe, errnoOf, isSystemError, retrying } from './system-error.js';

/**
 * Contract 6: at most 1024 lock files, of which tree-lock.ts has three. Two files that share one wait for each other, and
 * nothing worse.
 */
const lockFiles = 1021;
const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** A right, such as the exclusive one to write a file, across threads, processes and hosts; the system frees it if the holder dies. */
export interface FileLock {
  /** Asks the system again: a lock on a cluster file system can be lost while it is held. */
  isHeld(): boolean;
  /** @returns what went wrong, for the log: the write is done by then */
  release(): Notice | undefined;
}

/**
 * Which lock file guards a file: FNV-1a of its path below the working directory. Lower case and NFC, since
 * two spellings are one file on some file systems.
 */
export function lockNumber(relative: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(relative.normalize('NFC').toLowerCase())) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % lockFiles;
}

/**
 * One attempt to take the lock of a file.
 * @returns null if another holds it
 * @throws the system error (ENOLCK, EIO, EMFILE …): never go on without the lock
 */
export function tryFileLock(reserved: Reserved, relative: string, notices: Notice[]): FileLock | null {
  return tryLockFile(reserved, fileName(relative), notices);
}

/**
 * The same for several files, all of them or none. Sorted, as everybody takes them; once each, since files that share a
 * lock file would exclude themselves.
 */
export function tryFileLocks(reserved: Reserved, relatives: readonly string[], notices: Notice[]): FileLock | null {
  const names = [...new Set(relatives.map(fileName))].sort();
  return tryAll(
    names.map((name) => () => tryLockFile(reserved, name, notices)),
    notices,
  );
}

/** Take several locks in this order, all of them or none. */
export function tryAll(attempts: readonly (() => FileLock | null)[], notices: Notice[]): FileLock | null {
  const held: FileLock[] = [];
  const all: FileLock = {
    isHeld: () => held.every((lock) => lock.isHeld()),
    release: () => held.map((lock) => lock.release()).find((notice) => notice !== undefined),
  };
  let complete = false;
  try {
    for (const attempt of attempts) {
      const lock = attempt();
      if (lock === null) return null;
      held.push(lock);
    }
    complete = true;
    return all;
  } finally {
    if (!complete) releaseLock(all, notices);
  }
}

function fileName(relative: string): string {
  return `${String(lockNumber(relative)).padStart(4, '0')}.lock`;
}

/**
 * One attempt to take the lock of this name.
 *
 * The lock is on a separate file, since a rename gives the edited file another inode and whoever waited for
 * the old one would hold a lock on nothing. Every holder opens the lock file itself: a shared descriptor
 * does not exclude.
 * @param shared together with others who share it
 * @returns null if another holds it, or removes the reserved directory again and again
 * @throws the system error (ENOLCK, EIO, EMFILE …): never go on without the lock
 */
export function tryLockFile(reserved: Reserved, name: string, notices: Notice[], shared = false): FileLock | null {
  for (let tries = 1; ; tries++) {
    try {
      return attempt(reserved, name, notices, shared);
    } catch (error) {
      const errno = errnoOf(error);
      // Another host has made the lock file between the two steps in which network file systems open it (MooseFS).
      const madeMeanwhile = errno === 'EEXIST';
      if (!(madeMeanwhile || errno === 'ENOENT')) throw error;
      // The directory was removed since it was last used, or between two steps: it is made again. Somebody who removes
      // it as fast as that holds all of its locks, in a way.
      if (!madeMeanwhile) reserved.forget();
      if (tries < 4) continue;
      if (madeMeanwhile) throw error;
      return null;
    }
  }
}

function attempt(reserved: Reserved, name: string, notices: Notice[], shared: boolean): FileLock | null {
  const directory = reserved.use(notices);
  const fd = open(directory.path(name), flags, 0o600);
  let held = false;
  try {
    const mine = fstat(fd);
    const isInPlace = (): boolean => {
      const now = reserved.look(directory, name);
      return now !== undefined && now.nlink > 0n && now.ino === mine.ino && now.dev === mine.dev;
    };
    const take = (): boolean => retrying(() => (shared ? tryLock(fd, { shared }) : tryLock(fd)));
    if (!take()) return null;
    held = isInPlace();
    if (held) return { isHeld: () => isStillMine(take) && isInPlace(), release: () => release(fd) };
    // A lock file that vanished since it was opened excludes nobody: the next attempt opens the new one.
    reserved.forget();
    return null;
  } finally {
    if (!held) closeRead(fd);
  }
}

/** To take a lock that one has changes nothing. @throws the system error */
function isStillMine(take: () => boolean): boolean {
  try {
    return take();
  } catch (error) {
    // The cluster has given up this host for a while, and its descriptors and locks with it (MooseFS).
    if (errnoOf(error) === 'EBADF') return false;
    throw error;
  }
}

/** Release it and note what went wrong. */
export function releaseLock(lock: FileLock, notices: Notice[]): void {
  const notice = lock.release();
  if (notice !== undefined) notices.push(notice);
}

function release(fd: number): Notice | undefined {
  try {
    try {
      unlock(fd);
    } finally {
      closeSync(fd);
    }
    return undefined;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { message: `A lock could not be released: ${describe(error)}`, errno: error.code };
  }
}
