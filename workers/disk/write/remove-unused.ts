import { isReservedName, reservedName } from '../../../src/core/names/reserved-name.js';
import type { Notice } from '../../../src/core/errors.js';
import { fstat, lstat, open, readdir, rmdir, toReadAndWriteAny, unlink } from '../calls.js';
import { closeRead } from '../close.js';
import { lockNumber, releaseLock, tryFileLock } from '../lock/lock.js';
import { isPlaceholder, removePlaceholder } from '../paths/placeholder.js';
import type { Reserved } from '../lock/reserved.js';
import { Anchor } from '../paths/anchor.js';
import { errnoOf, isShortage, retrying } from '../system-error.js';
import type { Spot } from '../paths/walk.js';
import { tryLock } from '../lock/system-lock.js';

/** Names that a server makes in its reserved directory; it makes no others. */
const own = /^(?:\.gitignore|[a-z0-9]+\.(?:lock|tmp))$/;
const used = 'A server uses this directory. Stop it, then try again.';
const foreign = `It holds a "${reservedName}" that is not what a server makes, or holds more than that, and no operation deletes it: leave it, or remove it outside this server.`;

/**
 * Remove entries that do not count as content from a directory: the reserved directory of a server that no longer
 * serves it, and placeholders left by a killed process. If there is anything else, nothing is removed.
 * @param reserved of this server, for the locks of placeholder names
 * @param spot of the directory
 * @returns why the directory is not empty; undefined if it may be empty by now
 * @throws the system error
 */
export function removeUnused(reserved: Reserved, spot: Spot, notices: Notice[]): string | undefined {
  const directory = Anchor.open(spot.parent.anchor.path(spot.name));
  try {
    const names = readdir(directory.path('.'));
    const content = names.filter((name) => !isReservedName(name) && !isPlaceholder(directory.path(name)));
    if (content.length > 0) return contentOf(content);
    for (const name of names) {
      if (isReservedName(name)) {
        const details = removeReserved(directory, name);
        if (details !== undefined) return details;
      } else {
        const relative = `${spot.relative}/${name}`;
        // The directory's lock is held already, and may also be the name's: it would exclude itself.
        const isHeld = lockNumber(relative) === lockNumber(spot.relative);
        const lock = isHeld ? undefined : tryFileLock(reserved, relative, notices);
        if (lock === null) return 'Something is being moved into this directory. Try again in a moment.';
        try {
          removePlaceholder(directory.path(name));
        } finally {
          if (lock !== undefined) releaseLock(lock, notices);
        }
      }
    }
    return undefined;
  } finally {
    directory.close();
  }
}

function contentOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => JSON.stringify(name));
  const more = names.length > shown.length ? ` and ${String(names.length - shown.length)} more` : '';
  return `It holds ${shown.join(', ')}${more}. Delete its contents first, including hidden names. Sockets, devices and names that are not UTF-8 must be removed outside this server.`;
}

/**
 * All locks are taken before anything is removed; a waiter for one of them notices that its lock file is gone
 * (lock.ts).
 * @returns why it is still there; undefined if it is gone
 */
function removeReserved(parent: Anchor, name: string): string | undefined {
  const at = parent.path(name);
  if (lstat(at)?.isDirectory() !== true) return foreign;
  const directory = Anchor.open(at);
  const held: number[] = [];
  try {
    const names = readdir(directory.path('.'));
    if (!names.every((each) => own.test(each))) return foreign;
    for (const each of names) {
      const fd = open(directory.path(each), toReadAndWriteAny);
      held.push(fd);
      if (!fstat(fd).isFile() || !retrying(() => tryLock(fd))) return used;
    }
    for (const each of names) unlink(directory.path(each));
    // On Windows a name stays until its file is closed. Nobody can take a lock meanwhile: such a file cannot be opened.
    for (const fd of held.splice(0)) closeRead(fd);
    rmdir(at);
    return undefined;
  } catch (error) {
    // Any error here means "possibly in use", except a resource shortage or an I/O error, which proves nothing.
    const errno = errnoOf(error);
    if (errno === undefined || errno === 'EIO' || isShortage(errnoOf(error))) throw error;
    return used;
  } finally {
    for (const fd of held) closeRead(fd);
    directory.close();
  }
}
