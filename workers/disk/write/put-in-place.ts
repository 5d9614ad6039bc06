/** The moment at which the written text takes the name of its file (spec 6). */
import { linkSync, renameSync } from 'node:fs';
import type { Notice } from '../../../src/core/errors.js';
import { isSameFile } from '../../../src/core/file-identity.js';
import type { Text } from '../../text/scattered-text.js';
import { lstat } from '../calls.js';
import type { FileLock } from '../lock/lock.js';
import type { Place } from '../paths/open-file.js';
import { isOnRemote, isRemote, isThere, putBack, wasCarriedOut } from './remote.js';
import type { Root } from '../paths/root.js';
import { cannotLink, errnoOf, retrying } from '../system-error.js';
import type { TemporaryFile } from './temporary-file.js';
import { holdsText, isCurrent, type Version } from './version.js';
import { modifiedConcurrently } from './write-failed.js';
import { platform } from '../../../src/core/platform.js';

/** A file and its replacement. */
export interface FileReplacement {
  readonly root: Root;
  readonly lock: FileLock;
  readonly place: Place;
  /** The file as read under the lock; null if one is to be created. */
  readonly original: Version | null;
  readonly text: Text;
  /** The file's name as its callers know it, for messages. */
  readonly name: string;
  readonly notices: Notice[];
}

/**
 * Replace the file by the temporary one.
 *
 * Anything another program wrote before the last check is never lost. A write between that check and the rename is: no
 * system call compares and renames in one step. So nothing else happens in between (docs/limits.md gives the measured
 * length), and every retry checks again.
 * @throws OperationError modified_concurrently; internal if the outcome is unknown; the system error if nothing was
 *   replaced
 */
export function replace(temporary: TemporaryFile, original: Version, replacement: FileReplacement): void {
  const { root, lock, place, name, notices } = replacement;
  // With the file open, it could not be replaced; or readers would find no file for a moment, and none at all if the
  // replacement failed (remote.ts).
  if (platform.openFilesAreHeld || isOnRemote(original, root)) original.file.release();
  retrying(() => {
    if (!lock.isHeld() || !isCurrent(original)) throw modifiedConcurrently(name);
    try {
      renameSync(temporary.path, place.path);
    } catch (error) {
      if (isRenamed(error, temporary, replacement)) return;
      putBack(original, place, temporary.fd, notices);
      throw error;
    }
  });
  temporary.isRenamed = true;
}

/** Create the file at a free name. @throws as `replace` */
export function create(temporary: TemporaryFile, replacement: FileReplacement): void {
  const { lock, place, name } = replacement;
  try {
    // link(2) never replaces a file that another program has just created; rename would.
    retrying((again) => {
      if (!lock.isHeld()) throw modifiedConcurrently(name);
      try {
        linkSync(temporary.path, place.path);
      } catch (error) {
        // Unless an earlier attempt of ours or of libuv created it, another program did, perhaps with the same bytes.
        const isMine = isSameFile(lstat(place.path), temporary.stats) || (again && isRemote(place.directory));
        if ((errnoOf(error) === 'EEXIST' && !isMine) || !isLinked(error, replacement)) throw error;
      }
    });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST') throw modifiedConcurrently(name);
    if (!cannotLink(errno)) throw error;
    // Check first, then rename.
    retrying(() => {
      if (!lock.isHeld() || lstat(place.path) !== undefined) throw modifiedConcurrently(name);
      try {
        renameSync(temporary.path, place.path);
      } catch (failed) {
        if (!isRenamed(failed, temporary, replacement)) throw failed;
      }
    });
  }
}

/** Whether a rename reported as failed was carried out. Only then is the temporary name gone. */
function isRenamed(error: unknown, temporary: TemporaryFile, { place, text, notices }: FileReplacement): boolean {
  return wasCarriedOut(error, place.directory, notices, () => {
    if (isThere(temporary.path)) return false;
    // Not by inode number, which may differ on each call.
    return holdsText(place, text) || undefined;
  });
}

function isLinked(error: unknown, { place, text, notices }: FileReplacement): boolean {
  return wasCarriedOut(error, place.directory, notices, () => holdsText(place, text));
}
