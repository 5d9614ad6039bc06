/**
 * A name that is reserved for a moment, so that nothing else can appear there: no system call that Node offers renames
 * without replacing. The placeholder is a symbolic link that leads nowhere, since a killed process leaves it behind:
 * whoever holds the lock of the path later recognizes it, it has no content that a reader could see, and a program that
 * opens it for writing creates nothing. Directories need none: rename(2) puts them only in the place of an empty
 * one.
 */
import { dirname } from 'node:path';
import { reservedName } from '../../../src/core/names/reserved-name.js';
import { lstat, readlink, symlink, unlink } from '../calls.js';
import { isRemote } from '../write/remote.js';
import { errnoOf } from '../system-error.js';

/** The reserved directory holds no such directory, so nothing can be created through the link. */
const nowhere = `${reservedName}/moving/here`;

/** Whether this is where placeholders lead. @param relative path below the working directory */
export function isNowhere(relative: string): boolean {
  return relative === nowhere;
}

/** Where links cannot be made: FAT, and Windows without the right to. */
const impossible: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EACCES', 'EINVAL']);

/** Nothing is there, or something that is not a link. */
const noLink = ['EINVAL', 'ENOENT', 'ENOTDIR', 'ELOOP'];
/** The same, or this process may not look, or nothing can have such a name. */
const noLinkToSee = [...noLink, 'EACCES', 'EPERM', 'ENAMETOOLONG'];

/**
 * Whether what is at this path, if anything, is a placeholder.
 * @param meansNone errors that mean that it is not
 * @throws any other system error
 */
export function isPlaceholder(at: string, meansNone: readonly string[] = noLinkToSee): boolean {
  try {
    return readlink(at).replaceAll('\\', '/') === nowhere;
  } catch (error) {
    if (!meansNone.includes(errnoOf(error) ?? '')) throw error;
    return false;
  }
}

/**
 * Put a placeholder where nothing is.
 * @returns false if something is there; true also where links cannot be made and nothing is there
 * @throws the system error
 */
export function putPlaceholder(at: string): boolean {
  try {
    symlink(nowhere, at);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST') return false;
    // Made, although it was reported as failed.
    if (isPlaceholder(at)) return true;
    if (!impossible.has(errno)) throw error;
    return lstat(at) === undefined;
  }
}

/** Whether the name is still held, or at least free. @throws any system error that does not tell */
export function isStillFree(at: string): boolean {
  return isPlaceholder(at, noLink) || lstat(at) === undefined;
}

/** Remove one's own placeholder, if it is still there. */
export function takeBackPlaceholder(at: string): void {
  if (isPlaceholder(at)) unlink(at);
}

/** Remove a placeholder that a killed process has left, under the lock of its path. Anything else stays. */
export function removePlaceholder(at: string): void {
  if (isPlaceholder(at) && !mayBeReplaced(at)) unlink(at);
}

/** Longer than any file system shows a link that is no longer there: sshfs 20 s, by its defaults. */
const remembersMs = 60_000;

/**
 * Whether a file may be there instead: where the reply to a rename is lost, it may have been carried out, and the file
 * would be removed in the belief that it is the placeholder.
 */
function mayBeReplaced(at: string): boolean {
  if (!isRemote(dirname(at))) return false;
  const made = lstat(at)?.mtimeMs;
  return made !== undefined && Math.abs(Date.now() - Number(made)) < remembersMs;
}
