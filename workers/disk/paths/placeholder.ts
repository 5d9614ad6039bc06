/**
 * Reserves a name for a moment, so nothing else can appear there: Node offers no rename that never replaces. The
 * placeholder is a symbolic link that leads nowhere, since a killed process leaves it behind: the next holder of the
 * path's lock recognizes it, it has no content for readers to see, and a program that opens it for writing creates
 * nothing. Directories need none: rename(2) replaces only an empty directory.
 */
import { dirname } from 'node:path';
import { reservedName } from '../../../src/core/names/reserved-name.js';
import { lstat, readlink, symlink, unlink } from '../calls.js';
import { isRemote } from '../write/remote.js';
import { errnoOf } from '../system-error.js';
import { textOfLink } from './system-path.js';

/** The reserved directory has no such subdirectory, so nothing can be created through the link. */
const nowhere = `${reservedName}/moving/here`;

/** Whether this is the target of placeholders. @param relative path below the working directory */
export function isNowhere(relative: string): boolean {
  return relative === nowhere;
}

/** Errors where links cannot be made: FAT, and Windows without the privilege. */
const impossible: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EACCES', 'EINVAL']);

/** Nothing is there, or something that is not a link. */
const noLink = ['EINVAL', 'ENOENT', 'ENOTDIR', 'ELOOP'];
/** The same, or this process may not look, or nothing can have such a name. */
const noLinkToSee = [...noLink, 'EACCES', 'EPERM', 'ENAMETOOLONG'];

/**
 * Whether a placeholder is at this path.
 * @param meansNone errors that mean there is none
 * @throws any other system error
 */
export function isPlaceholder(at: string, meansNone: readonly string[] = noLinkToSee): boolean {
  try {
    return textOfLink(readlink(at)) === nowhere;
  } catch (error) {
    if (!meansNone.includes(errnoOf(error) ?? '')) throw error;
    return false;
  }
}

/**
 * Put a placeholder where nothing is.
 * @returns false if something is there; true also if nothing is there and links cannot be made
 * @throws the system error
 */
export function putPlaceholder(at: string): boolean {
  try {
    symlink(nowhere, at);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST') return false;
    // Made, although reported as failed.
    if (isPlaceholder(at)) return true;
    if (!impossible.has(errno)) throw error;
    return lstat(at) === undefined;
  }
}

/** Whether the name is still held, or at least free. @throws any system error that leaves this open */
export function isStillFree(at: string): boolean {
  return isPlaceholder(at, noLink) || lstat(at) === undefined;
}

/** Remove one's own placeholder, if it is still there. */
export function takeBackPlaceholder(at: string): void {
  if (isPlaceholder(at)) unlink(at);
}

/** Under the lock of its path, remove a placeholder left by a killed process. Anything else stays. */
export function removePlaceholder(at: string): void {
  if (isPlaceholder(at) && !mayBeReplaced(at)) unlink(at);
}

/** Longer than any file system keeps showing a removed link: 20 s on sshfs, by default. */
const remembersMs = 60_000;

/**
 * Whether a file may be there instead: if a rename succeeded but its reply was lost, the file would be removed as if it
 * were the placeholder.
 */
function mayBeReplaced(at: string): boolean {
  if (!isRemote(dirname(at))) return false;
  const made = lstat(at)?.mtimeMs;
  return made !== undefined && Math.abs(Date.now() - Number(made)) < remembersMs;
}
