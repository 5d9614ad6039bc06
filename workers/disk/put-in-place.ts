/** The moment at which what was written takes the name of its file (spec 6). */
import { linkSync, renameSync } from 'node:fs';
import { OperationError } from '../../src/errors.js';
import { isSameFile } from '../../src/file-identity.js';
import type { Write } from './atomic-write.js';
import { lstat } from './calls.js';
import { isDirectoryInPlace } from './parent.js';
import { isOnRemote, isRemote, isThere, putBack, wasCarriedOut } from './remote.js';
import { errnoOf, retrying, scannerErrors } from './system-error.js';
import type { TemporaryFile } from './temporary-file.js';
import { holdsText, isCurrent, type Version } from './version.js';
import { modifiedConcurrently } from './write-failed.js';

/**
 * Replace the file by what was written, or create it.
 *
 * What another program wrote before the last check is never lost. What it writes between that check and the rename is:
 * no system call compares and renames in one step. So nothing else happens in between (the README gives the measured
 * length), and every retry checks again.
 * @param name the file's name as the caller knows it, for messages
 * @throws OperationError modified_concurrently; cancelled if the claim was refused; internal if nobody can tell whether
 *   it was done; RootMoved; the system error if it was not
 */
export function putInPlace(temporary: TemporaryFile, write: Write, name: string): void {
  const { root, place, original, isMeant, claim } = write;
  root.assertInPlace();
  if (!isDirectoryInPlace(root, place.parent, place.directory)) throw modifiedConcurrently(name);
  if (isMeant?.() === false) throw modifiedConcurrently(name);
  if (!claim()) throw new OperationError('cancelled', 'Cancelled before the commit');
  if (original === null) create(temporary, write, name);
  else replace(temporary, original, write, name);
}

function replace(temporary: TemporaryFile, original: Version, write: Write, name: string): void {
  const { root, lock, place, notices } = write;
  // Readers would find no file for a moment, and if the replacement failed there would be none (remote.ts).
  if (isOnRemote(original, root)) original.file.release();
  retrying(() => {
    if (!lock.isHeld() || !isCurrent(original)) throw modifiedConcurrently(name);
    try {
      renameSync(temporary.path, place.path);
    } catch (error) {
      if (isRenamed(error, temporary, write)) return;
      putBack(original, place, temporary.fd, notices);
      throw error;
    }
  }, scannerErrors);
}

function create(temporary: TemporaryFile, write: Write, name: string): void {
  const { lock, place } = write;
  try {
    // link(2) never replaces what someone else has created meanwhile; rename would.
    retrying((again) => {
      if (!lock.isHeld()) throw modifiedConcurrently(name);
      try {
        linkSync(temporary.path, place.path);
      } catch (error) {
        // Someone else has created it, perhaps with the same bytes, unless it was an earlier attempt, or libuv's.
        const isMine = isSameFile(lstat(place.path), temporary.stats) || (again && isRemote(place.directory));
        if ((errnoOf(error) === 'EEXIST' && !isMine) || !isLinked(error, write)) throw error;
      }
    });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST') throw modifiedConcurrently(name);
    // File systems without hard links (FAT, some network mounts): check first, then rename.
    if (errno !== 'EPERM' && errno !== 'ENOTSUP' && errno !== 'ENOSYS' && errno !== 'EMLINK') throw error;
    retrying(() => {
      if (!lock.isHeld() || lstat(place.path) !== undefined) throw modifiedConcurrently(name);
      try {
        renameSync(temporary.path, place.path);
      } catch (failed) {
        if (!isRenamed(failed, temporary, write)) throw failed;
      }
    }, scannerErrors);
  }
}

/** Whether a rename that was reported as failed was carried out. The name of what was written is gone only then. */
function isRenamed(error: unknown, temporary: TemporaryFile, { place, text, notices }: Write): boolean {
  return wasCarriedOut(error, place.directory, notices, () => {
    if (isThere(temporary.path)) return false;
    // Not by its number, which may be another one each time.
    return holdsText(place, text) || undefined;
  });
}

function isLinked(error: unknown, { place, text, notices }: Write): boolean {
  return wasCarriedOut(error, place.directory, notices, () => holdsText(place, text));
}
