import { closeSync, constants, type BigIntStats } from 'node:fs';
import type { Notice } from '../../../src/core/errors.js';
import { recordName, reservedName } from '../../../src/core/names/reserved-name.js';
import { chmod, fchmod, fstat, lstat, mkdir, open, readdir, toReadAndWrite, unlink, write } from '../calls.js';
import { Anchor } from '../paths/anchor.js';
import type { Root } from '../paths/root.js';
import { errnoOf, isDiskFull, isSystemError, noticeOf, retrying } from '../system-error.js';
import { writeFailed } from '../write/write-failed.js';
import { tryLock } from './system-lock.js';

const temporary = /^[0-9a-f]{24}\.tmp$/;

/** Whether a name belongs to a temporary file. */
export function isTemporaryName(name: string): boolean {
  return temporary.test(name);
}

/** `.file-editor/`: made on the first write; holds only lock files, temporary files and a record of changes. */
export class Reserved {
  private current: Anchor | undefined;
  /** Whether git ignores it. */
  private isHidden = false;

  /** Its name may not be on disk yet, whoever has made it: with it, all that is in it would be lost. */
  isUnsynced = true;

  constructor(private readonly root: Root) {
    root.onMoved(() => {
      this.forget();
    });
  }

  /**
   * The anchored directory, made if it is missing. A thread's first call also sweeps, so leftovers of killed processes
   * and threads cannot pile up.
   * @throws OperationError write_failed if something else is there; the system error if it cannot be made
   */
  open(notices: Notice[]): Anchor {
    if (this.isInPlace() && this.current !== undefined) {
      if (!this.isHidden) this.isHidden = hideFromGit(this.current);
      return this.current;
    }
    this.forget();
    const path = this.root.anchor.path(reservedName);
    const anchor = openMade(path, openDirectory);
    try {
      this.isUnsynced = true;
      this.isHidden = hideFromGit(anchor);
      this.sweep(anchor, notices);
    } catch (error) {
      anchor.close();
      throw error;
    }
    this.current = anchor;
    return anchor;
  }

  /** As `open`, but unchecked: for files that are useless without a lock, whose holder checks (lock.ts). */
  use(notices: Notice[]): Anchor {
    return this.current !== undefined && this.isHidden ? this.current : this.open(notices);
  }

  /** Whether it has been made. Creates nothing. */
  get isThere(): boolean {
    return lstat(this.root.anchor.path(reservedName))?.isDirectory() === true;
  }

  /** At server start: remove leftovers of killed processes, without creating anything. */
  sweepLeftovers(notices: Notice[]): void {
    if (!this.isThere) return;
    // `open` sweeps; a thread that has already written must sweep again for the leftovers of others.
    if (this.current !== undefined && this.isInPlace()) this.sweep(this.current, notices);
    else this.open(notices);
  }

  /**
   * False once another program has removed or replaced the directory (as `git clean -fdX` does): its locks then exclude
   * no process.
   */
  private isInPlace(): boolean {
    return this.current?.isAt(this.root.anchor.path(reservedName)) === true;
  }

  /**
   * Stats of this name in the directory now in place. One stat checks both, as it takes the path that other processes
   * use.
   * @param anchor of the expected directory; undefined if it has been given up
   */
  look(anchor: Anchor, name: string): BigIntStats | undefined {
    if (this.current !== anchor) return undefined;
    return lstat(this.root.anchor.path(`${reservedName}/${name}`));
  }

  /** Make the next `open` check the file system again. */
  forget(): void {
    this.current?.close();
    this.current = undefined;
  }

  /**
   * A temporary file is owned by the lock on itself: a process that can take that lock may remove the file, since
   * process ids mean nothing across containers and hosts. Lock files stay: deleting one under a waiter would let two
   * writers in.
   */
  private sweep(anchor: Anchor, notices: Notice[]): void {
    for (const name of readdir(anchor.path('.'))) {
      if (!isTemporaryName(name)) continue;
      try {
        const fd = open(anchor.path(name), toReadAndWrite);
        try {
          if (!retrying(() => tryLock(fd))) continue;
          // The record of a killed process may need this file. No new record can name it: its owner is dead.
          if (lstat(anchor.path(recordName)) !== undefined) return;
          unlink(anchor.path(name));
        } finally {
          closeSync(fd);
        }
      } catch (error) {
        // ENOENT: its owner has finished. Anything else is left to the next sweep.
        if (!isSystemError(error)) throw error;
        if (error.code === 'ENOENT') continue;
        notices.push(noticeOf('A leftover temporary file could not be removed', error));
      }
    }
  }
}

/**
 * Open a directory of the server, made for the owner only if it is missing.
 * @throws what `openAt` throws; the system error
 */
export function openMade(path: string, openAt: (path: string) => Anchor = (at) => Anchor.open(at)): Anchor {
  let isNew = true;
  try {
    mkdir(path, 0o700);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    isNew = false;
  }
  const anchor = openAt(path);
  try {
    // The umask may take rights even from the owner (systemd's UMask=0177, for private files).
    if (isNew && (anchor.stats.mode & 0o700n) !== 0o700n) chmod(anchor.base, 0o700);
    return anchor;
  } catch (error) {
    anchor.close();
    throw error;
  }
}

function openDirectory(path: string): Anchor {
  try {
    return Anchor.open(path);
  } catch (error) {
    if (!isSystemError(error) || (error.code !== 'ENOTDIR' && error.code !== 'ELOOP')) throw error;
    throw writeFailed(error, {
      details: `Nothing was written. Something else has taken the place of ${reservedName}, the directory of locks in the working directory: remove it, then retry.`,
    });
  }
}

const ignoreAll = Buffer.from('*\n');

/**
 * An empty file is left over from a full disk; anything else there, even a link, stays as it is. Written under a lock
 * on the file itself: when two hosts write one file at the same time, MooseFS makes one of them wait 30 s in its close.
 * @returns false if the disk is full
 */
function hideFromGit(anchor: Anchor): boolean {
  const path = anchor.path('.gitignore');
  if ((lstat(path)?.size ?? 0n) > 0n) return true;
  let fd: number;
  try {
    fd = open(path, toReadAndWrite | constants.O_CREAT, 0o600);
  } catch (error) {
    // Another host is creating it right now, with the same content.
    if (errnoOf(error) === 'EEXIST') return true;
    throw error;
  }
  try {
    if (!retrying(() => tryLock(fd))) return true;
    const { size, nlink } = fstat(fd);
    // A hard link may lead outside.
    if (size === 0n && nlink === 1n) write(fd, ignoreAll, 0);
    return true;
  } catch (error) {
    // Operations that free space on a full disk, such as delete, must not fail here.
    if (!isDiskFull(errnoOf(error))) throw error;
    return false;
  } finally {
    closeSync(fd);
  }
}

/**
 * The umask may take rights even from the owner (systemd's UMask=0277): then only root could open the file again. Where
 * modes cannot be set, the mode stays as it is.
 * @param stats of one of the server's own files, just after it was opened
 */
export function letOwnerIn(fd: number, { mode }: BigIntStats): void {
  if ((mode & 0o600n) === 0o600n) return;
  try {
    fchmod(fd, 0o600);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
