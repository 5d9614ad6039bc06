/**
 * A name that is reserved for a moment, so that nothing else can appear there: no system call that Node offers renames
 * without replacing. The claim is a symbolic link that leads nowhere, since a killed process leaves its claims behind:
 * whoever holds the lock of the path later recognizes it, it has no content that a reader could see, and a program that
 * opens it for writing creates nothing. Directories need no claim: rename(2) puts them only in the place of an empty
 * one.
 */
import { reservedName } from '../../src/reserved-name.js';
import { lstat, readlink, symlink, unlink } from './calls.js';
import { errnoOf } from './system-error.js';

/** The reserved directory holds no such directory, so nothing can be created through the link. */
const nowhere = `${reservedName}/moving/here`;

/** Where links cannot be made: FAT, and Windows without the right to. */
const impossible: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EACCES', 'EINVAL']);

/** Nothing is there, or something that is not a link. */
const noLink = ['EINVAL', 'ENOENT', 'ENOTDIR', 'ELOOP'];
/** The same, or this process may not look. */
const noLinkToSee = [...noLink, 'EACCES', 'EPERM'];

/**
 * Whether what is at this path, if anything, is a claim.
 * @param meansNone errors that mean that it is not
 * @throws any other system error
 */
export function isClaim(at: string, meansNone: readonly string[] = noLinkToSee): boolean {
  try {
    return readlink(at).replaceAll('\\', '/') === nowhere;
  } catch (error) {
    if (!meansNone.includes(errnoOf(error) ?? '')) throw error;
    return false;
  }
}

/**
 * Claim a free name.
 * @returns false if something is there; true also where links cannot be made and nothing is there
 * @throws the system error
 */
export function claim(at: string): boolean {
  try {
    symlink(nowhere, at);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST') return false;
    if (!impossible.has(errno)) throw error;
    return lstat(at) === undefined;
  }
}

/** Whether a claimed name still belongs to its claimant. @throws any system error that does not tell */
export function isClaimed(at: string): boolean {
  return isClaim(at, noLink) || lstat(at) === undefined;
}

/** Give up a claim, one's own or one that a killed process has left. Anything else stays. */
export function unclaim(at: string): void {
  if (isClaim(at)) unlink(at);
}
