/**
 * A name that is taken for a moment, so that nothing else can come there: no system call of Node's renames without
 * replacing. The claim is a link that leads into nothing, since such a link is left by a process that is killed:
 * whoever has the lock of the path later knows it for what it is, it has no content that a reader could see, and a program
 * that opens it to write creates nothing. Directories need none: rename(2) puts one in no place but that of an empty one.
 */
import { reservedName } from '../../src/reserved-name.js';
import { lstat, readlink, symlink, unlink } from './calls.js';
import { errnoOf } from './system-error.js';

/** There is no such directory in the reserved one, so nothing can be made through it. */
const nowhere = `${reservedName}/moving/here`;

/** Where links cannot be made: FAT, and Windows without the right to. */
const impossible: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EACCES', 'EINVAL']);

/** Nothing is there, or something that is no link. */
const noLink = ['EINVAL', 'ENOENT', 'ENOTDIR', 'ELOOP'];
/** The same, or nobody may look. */
const noLinkToSee = [...noLink, 'EACCES', 'EPERM'];

/**
 * Whether what is there, if anything, is a claim.
 * @param meansNone errors that say that it is none
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
 * Take a free name.
 * @returns false if something is there; also true where nothing can be claimed, and nothing is there
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

/** Whether a name that was claimed is still free for the claimant. @throws the system error that does not tell */
export function isClaimed(at: string): boolean {
  return isClaim(at, noLink) || lstat(at) === undefined;
}

/** Give a name up that was claimed, or that a killed process has left claimed. Anything else stays. */
export function unclaim(at: string): void {
  if (isClaim(at)) unlink(at);
}
