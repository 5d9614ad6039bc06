import { linkSync, renameSync, type BigIntStats } from 'node:fs';
import { OperationError, type Notice } from '../../src/errors.js';
import { isSameFile } from '../../src/file-identity.js';
import type { WorkerSetup } from '../task.js';
import { fstat, lstat, write as writeBytes } from './calls.js';
import type { Place } from './open-file.js';
import type { FileLock } from './lock.js';
import { isDirectoryInPlace } from './parent.js';
import { copyMetadata, setNewMode } from './metadata.js';
import { closeRenamed, createTemporary, discardTemporary, type Reserved, type TemporaryFile } from './reserved.js';
import { RootMoved, type Root } from './root.js';
import { changeSharingSync, syncFile, type Meanwhile } from './shared-sync.js';
import { describe, errnoOf, isSystemError, retrying, scannerErrors } from './system-error.js';
import { isCurrent, type Version } from './version.js';
import { writeFailed } from './write-failed.js';
import { renewTime } from './write-time.js';

export interface Write {
  readonly root: Root;
  readonly reserved: Reserved;
  readonly lock: FileLock;
  readonly place: Place;
  /** The file as it was read under the lock; null if there is none and one is to be created. */
  readonly original: Version | null;
  readonly bytes: Buffer;
  readonly durability: WorkerSetup['durability'];
  readonly umask: number;
  /** Whether the caller's name for it still leads there; asked right before the claim. Always, if absent. */
  readonly isMeant?: () => boolean;
  /** Moves the call to `claimed`; false if it was cancelled: then nothing may be written. */
  readonly claim: () => boolean;
  /**
   * `work` is called before the claim, and what it throws stops the write. `rest` is called if other calls of the thread
   * go on while the file is synced: if one of them ends the thread, this one survives.
   */
  readonly meanwhile: Meanwhile;
  readonly notices: Notice[];
}

/**
 * Replace a file by `bytes` so that everyone sees either the old file or the new one, whatever is killed or loses power
 * when: a synced temporary file is renamed over it (contract 6).
 * @param name the file's name as the caller knows it, for messages
 * @throws OperationError write_failed, write_denied, modified_concurrently, not_durable; cancelled if the claim was
 *   refused; RootMoved; what `meanwhile` throws, with nothing written
 */
export async function writeAtomically(write: Write, name: string): Promise<void> {
  const { root, reserved, place, bytes, durability, meanwhile, notices } = write;
  let temporary: TemporaryFile | undefined;
  let renamed = false;
  try {
    const [anchor, own] = [root.anchor, reserved.use(notices)];
    const created = createTemporary(own, notices);
    temporary = created;
    const written = fill(created, write);
    if (durability === 'none') meanwhile.work();
    else await syncFile(created.fd, bytes.length, meanwhile);
    const assertInPlace = (): void => {
      if (anchor !== root.anchor) throw new RootMoved('the working directory was moved');
      if (own !== reserved.use(notices)) throw modifiedConcurrently(name);
    };
    const make = (): void => {
      renewTime(created.fd, written.stats, written.lastWriteBegan, notices);
      commit(created, write, name);
      renamed = true;
    };
    if (durability === 'full') {
      const { rest } = meanwhile;
      await changeSharingSync({ root, directory: place.directory, notices, assertInPlace, rest, make });
    } else {
      assertInPlace();
      make();
    }
  } catch (error) {
    throw explain(error, name);
  } finally {
    // After a replacement the temporary name is gone; after a creation it is a second link to the file and goes now.
    if (temporary !== undefined && renamed && write.original !== null) closeRenamed(temporary, notices);
    else if (temporary !== undefined) discardTemporary(temporary, notices);
  }
}

interface Filled {
  readonly stats: BigIntStats;
  /** As performance.now() counts. */
  readonly lastWriteBegan: number;
}

/**
 * Write all bytes and check their number: on a full disk write(2) returns a short count, which Node does not report.
 * Each write goes to where the last one ended, so that one that claims more than it did shows in the size.
 * @returns the stats from behind the last write
 */
function fill(temporary: TemporaryFile, { place, bytes, original, umask, notices }: Write): Filled {
  let lastWriteBegan = performance.now();
  for (let written = 0; written < bytes.length;) {
    lastWriteBegan = performance.now();
    const count = writeBytes(temporary.fd, bytes, written);
    if (count === 0) throw shortWrite(written, bytes.length);
    written += count;
  }
  const stats = fstat(temporary.fd);
  if (Number(stats.size) !== bytes.length) throw shortWrite(Number(stats.size), bytes.length);
  if (original === null) setNewMode(temporary, place.directory, umask, notices);
  else copyMetadata(original, temporary, notices);
  return { stats, lastWriteBegan };
}

function shortWrite(written: number, expected: number): OperationError {
  return new OperationError(
    'write_failed',
    `Failed to write file atomically: only ${String(written)} of ${String(expected)} bytes reached the disk`,
    { data: { errno: 'ENOSPC' } },
  );
}

/**
 * What another program wrote before the last check is never lost. What it writes between that check and the rename is:
 * no system call compares and renames in one step. So nothing else happens in between (the README gives the measured
 * length), and every retry checks again.
 */
function commit(temporary: TemporaryFile, write: Write, name: string): void {
  const { root, place, original, isMeant, claim, notices } = write;
  root.assertInPlace();
  if (!isDirectoryInPlace(root, place.parent, place.directory)) throw modifiedConcurrently(name);
  if (isMeant?.() === false) throw modifiedConcurrently(name);
  if (!claim()) throw new OperationError('cancelled', 'Cancelled before the commit');
  try {
    if (original === null) create(temporary, write, name);
    else replace(temporary, original, write, name);
  } catch (error) {
    if (!isSystemError(error) || !isDone(temporary, place)) throw error;
    notices.push({ message: `A change was reported as failed but carried out: ${describe(error)}`, errno: error.code });
  }
}

function replace(temporary: TemporaryFile, original: Version, { lock, place }: Write, name: string): void {
  retrying((again) => {
    // An earlier attempt was reported as failed but had been carried out.
    if (again && isLinked(temporary, place)) return;
    if (!lock.isHeld() || !isCurrent(original)) throw modifiedConcurrently(name);
    renameSync(temporary.path, place.path);
  }, scannerErrors);
}

function create(temporary: TemporaryFile, { lock, place }: Write, name: string): void {
  try {
    // link(2) never replaces what someone else has created meanwhile; rename would.
    retrying(() => {
      if (!lock.isHeld()) throw modifiedConcurrently(name);
      linkSync(temporary.path, place.path);
    });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST') {
      // As above.
      if (isLinked(temporary, place)) return;
      throw modifiedConcurrently(name);
    }
    // File systems without hard links (FAT, some network mounts): check first, then rename.
    if (errno !== 'EPERM' && errno !== 'ENOTSUP' && errno !== 'ENOSYS' && errno !== 'EMLINK') throw error;
    retrying((again) => {
      if (again && isLinked(temporary, place)) return;
      if (!lock.isHeld() || lstat(place.path) !== undefined) throw modifiedConcurrently(name);
      renameSync(temporary.path, place.path);
    }, scannerErrors);
  }
}

/**
 * Where only the reply is lost, as on FUSE and network file systems, a change is reported as failed with any error; and
 * libuv itself repeats a rename that was interrupted, which then finds no file. False also if nobody can tell.
 */
function isDone(temporary: TemporaryFile, place: Place): boolean {
  try {
    return isLinked(temporary, place);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return false;
  }
}

function isLinked({ fd }: TemporaryFile, { path }: Place): boolean {
  return isSameFile(lstat(path), fstat(fd));
}

function explain(error: unknown, name: string): unknown {
  if (!isSystemError(error)) return error;
  // Someone has removed the reserved directory, with the lock in it, or the directory that a link leads to, or has put a
  // directory in the place of the file.
  if (error.code === 'ENOENT' || error.code === 'EISDIR') return modifiedConcurrently(name);
  return error.code === 'EXDEV'
    ? writeFailed(error, `'${name}' is on another file system than --dir`)
    : writeFailed(error);
}

function modifiedConcurrently(name: string): OperationError {
  return new OperationError('modified_concurrently', `File '${name}' was modified concurrently`);
}
