/** What was there before a change: the file itself, by another name (spec 18). */
import { linkSync, type BigIntStats } from 'node:fs';
import { isSameFile } from '../../src/core/file-identity.js';
import { copyFile, lstat, unlink } from '../disk/calls.js';
import type { Anchor } from '../disk/paths/anchor.js';
import { cannotLink, errnoOf, isSystemError, noticeOf, retrying } from '../disk/system-error.js';
import type { Notice } from '../../src/core/errors.js';

/**
 * Keep a file that is about to be replaced or removed: by a link or, where the file system has none, by a copy. It may
 * be kept already, by an attempt that was reported as failed or by a process that was killed.
 * @param from its path
 * @returns its stats as of now: a link changes the ctime
 * @throws the system error
 */
export function keep(kept: Anchor, name: string, from: string): BigIntStats | undefined {
  const to = kept.path(name);
  try {
    retrying(() => {
      linkSync(from, to);
    });
  } catch (error) {
    const errno = errnoOf(error);
    const isKept = errno === 'EEXIST' && isSameFile(lstat(to), lstat(from));
    // protected_hardlinks (EPERM) also forbids links to files of others that this process may not write.
    if (cannotLink(errno) || errno === 'EXDEV') copyFile(from, to);
    else if (!isKept) throw error;
  }
  return lstat(from);
}

/**
 * The stats by which a kept file shows whether it is still the version that was seen: keeping it has changed its ctime.
 * @returns those that were seen, if it was changed otherwise
 */
export function unlessWritten(now: BigIntStats | undefined, seen: BigIntStats): BigIntStats {
  const members = ['dev', 'ino', 'size', 'mtimeNs', 'mode', 'uid', 'gid'] as const;
  return now !== undefined && members.every((each) => now[each] === seen[each]) ? now : seen;
}

/** Remove a file of the history that is no longer needed. Never fails: a sweep finds what is left. */
export function discard(path: string, notices: Notice[]): void {
  try {
    unlink(path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code !== 'ENOENT') notices.push(noticeOf('A file of the history could not be removed', error));
  }
}
