import { closeSync, constants } from 'node:fs';
import type { Notice } from '../../../src/core/errors.js';
import { isSameFile, oneSpelling } from '../../../src/core/file-identity.js';
import { reservedName } from '../../../src/core/names/reserved-name.js';
import type { Anchor } from '../paths/anchor.js';
import { fstat, open, toReadAndWrite } from '../calls.js';
import { closeRead } from '../close.js';
import { letOwnerIn, type Reserved } from './reserved.js';
import { describe, errnoOf, isDenied, isSystemError, retrying } from '../system-error.js';
import { writeFailed } from '../write/write-failed.js';
import { platform } from '../../../src/core/platform.js';
import { tryLock, unlock } from './system-lock.js';

/**
 * Spec 6: at most 1024 lock files, three of which belong to tree-lock.ts. Two files that share a lock file only wait
 * for each other.
 */
const lockFiles = 1021;
const flags = toReadAndWrite | constants.O_CREAT;

/**
 * A right, such as to write a file, that holds across threads, processes and hosts. The system releases it if the
 * holder dies.
 */
export interface FileLock {
  /** Asks the system again: on a cluster file system a held lock can be lost. */
  isHeld(): boolean;
  /** @returns the error for the log: by then the write is done */
  release(): Notice | undefined;
}

/** The number of a file's lock file: FNV-1a of its path below the working directory. */
export function lockNumber(relative: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(oneSpelling(relative))) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % lockFiles;
}

/**
 * One attempt to take the lock of a file.
 * @returns null if another holder has it
 * @throws the system error (ENOLCK, EIO, EMFILE …): never go on without the lock
 */
export function tryFileLock(reserved: Reserved, relative: string, notices: Notice[]): FileLock | null {
  return tryLockFile(reserved, fileName(relative), notices);
}

/**
 * The same for several files, all or none. Sorted, so every process takes them in the same order; each lock file once,
 * since two files that share one would exclude each other.
 */
export function tryFileLocks(reserved: Reserved, relatives: readonly string[], notices: Notice[]): FileLock | null {
  return tryAll(
    lockNames(relatives).map((name) => () => tryLockFile(reserved, name, notices)),
    notices,
  );
}

/** The names of the lock files of several files, in the order in which they are taken. */
export function lockNames(relatives: readonly string[]): string[] {
  return [...new Set(relatives.map(fileName))].sort();
}

/** Take several locks in order, all or none. */
export function tryAll(attempts: readonly (() => FileLock | null)[], notices: Notice[]): FileLock | null {
  const held: FileLock[] = [];
  const all = joined(held);
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

/** Several held locks as one. */
export function joined(held: readonly FileLock[]): FileLock {
  return {
    isHeld: () => held.every((lock) => lock.isHeld()),
    release: () => held.map((lock) => lock.release()).find((notice) => notice !== undefined),
  };
}

function fileName(relative: string): string {
  return `${String(lockNumber(relative)).padStart(4, '0')}.lock`;
}

/**
 * One attempt to take the lock of this name.
 *
 * The lock is on a separate file: a rename gives the edited file a new inode, and a waiter for the old one would hold a
 * lock that protects nothing. Every holder opens the lock file itself, since locks on a shared descriptor exclude
 * nobody.
 * @param shared with other holders that share it
 * @returns null if another process holds it, or keeps removing the reserved directory
 * @throws the system error (ENOLCK, EIO, EMFILE …): never go on without the lock
 */
export function tryLockFile(reserved: Reserved, name: string, notices: Notice[], shared = false): FileLock | null {
  for (let tries = 1; ; tries++) {
    try {
      return tryOnce(reserved, name, notices, shared);
    } catch (error) {
      const errno = errnoOf(error);
      // Network file systems open in two steps; another host created the lock file in between (MooseFS).
      const madeMeanwhile = errno === 'EEXIST';
      if (!(madeMeanwhile || errno === 'ENOENT')) throw error;
      // The directory was removed since its last use, or between two steps, and is made again. A process that removes
      // it this fast effectively holds all of its locks.
      if (!madeMeanwhile) reserved.forget();
      if (tries < 4) continue;
      if (madeMeanwhile) throw error;
      return null;
    }
  }
}

function tryOnce(reserved: Reserved, name: string, notices: Notice[], shared: boolean): FileLock | null {
  const directory = reserved.use(notices);
  const fd = openLockFile(directory, name);
  let held = false;
  try {
    const mine = fstat(fd);
    letOwnerIn(fd, mine);
    const isInPlace = (): boolean => {
      const now = reserved.look(directory, name);
      return now !== undefined && now.nlink > 0n && isSameFile(now, mine);
    };
    const take = (): boolean => retrying(() => tryLock(fd, shared));
    if (!take()) return null;
    held = isInPlace();
    if (held) return { isHeld: () => isStillMine(take) && isInPlace(), release: () => release(fd) };
    // A lock file removed after it was opened excludes no process; the next attempt opens the new one.
    reserved.forget();
    return null;
  } finally {
    if (!held) closeRead(fd);
  }
}

/** @throws OperationError write_denied if it may not be opened; the system error */
function openLockFile(directory: Anchor, name: string): number {
  try {
    return open(directory.path(name), flags, 0o600);
  } catch (error) {
    if (!isSystemError(error) || !isDenied(error.code)) throw error;
    // For example, after root has run a server here.
    throw writeFailed(error, {
      details: `Nothing was written. The server lacks permission to open the lock of the file, ${reservedName}/${name}: all servers of a directory must run as the same user. While none runs, the owner may remove ${reservedName}.`,
    });
  }
}

/**
 * Takes the lock again where its holder can: this shows whether it was lost. A mandatory lock lasts as long as its
 * handle. @throws the system error
 */
function isStillMine(take: () => boolean): boolean {
  if (platform.hasMandatoryLocks) return true;
  try {
    return take();
  } catch (error) {
    // The cluster had dropped this host for a while, and with it its descriptors and locks (MooseFS).
    if (errnoOf(error) === 'EBADF') return false;
    throw error;
  }
}

/** Release a lock and record any error. */
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
