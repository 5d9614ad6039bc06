/**
 * File systems served by another host, or by another program on this one (FUSE). Their replies may be lost, and they
 * may rename an open file aside.
 */
import { fsyncSync } from 'node:fs';
import type { Notice } from '../../../src/core/errors.js';
import { isSameFile } from '../../../src/core/file-identity.js';
import type { Anchor } from '../paths/anchor.js';
import { fstat, lstat, open, statfs, toCreate, toRead, unlink } from '../calls.js';
import { closeQuietly, closeRead } from '../close.js';
import { copyMetadata } from '../metadata/metadata.js';
import type { Place } from '../paths/open-file.js';
import type { Root } from '../paths/root.js';
import { errnoOf, isSystemError, isTransient, noticeOf, orUndefined } from '../system-error.js';
import type { Version } from './version.js';
import { outcomeUnknown } from './write-failed.js';
import { writeWhole } from './write-whole.js';
import { isOnLocalDisk, platform } from '../../../src/core/platform.js';
import { pathBelow } from '../paths/system-path.js';

/** `f_type` of statfs(2): FUSE, NFS, SMB (three), 9P, Ceph, AFS (two), Lustre. */
const remote: ReadonlySet<number> = new Set([
  0x65735546, 0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x00c36400, 0x5346414f, 0x6b414653, 0x0bd00bd0,
]);

/** Whether a directory lies, or may lie, on such a file system. @param directory anchored */
export function isRemote(directory: string): boolean {
  if (!platform.hasProc) return !isOnLocalDisk(directory);
  try {
    return remote.has(statfs(pathBelow(directory, '.')).type);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return true;
  }
}

/** For each working directory, whether it lies on such a file system. */
const asked = new WeakMap<Anchor, boolean>();

/**
 * Whether a file lies, or may lie, on such a file system. Checked once for all files on the device of the working
 * directory: while that is open, no other file system can have its device number (5 of the 600 µs that an edit takes
 * both threads).
 */
export function isOnRemote({ file: { place }, stats: { dev } }: Version, { anchor }: Root): boolean {
  if (dev !== anchor.stats.dev) return isRemote(place.directory);
  const found = asked.get(anchor) ?? isRemote(anchor.base);
  asked.set(anchor, found);
  return found;
}

/** Errors that only a reply can carry. A lost reply is EIO, ENOTCONN, ECONNABORTED and others. */
const refusals: ReadonlySet<string> = new Set([
  ...(platform.openFilesAreHeld ? ['EBUSY'] : []),
  'EACCES',
  'EEXIST',
  'EINVAL',
  'EISDIR',
  'ENAMETOOLONG',
  'ENOTDIR',
  'ENOTEMPTY',
  'EPERM',
  'EROFS',
  'EXDEV',
]);

/**
 * Whether a change reported as failed was carried out anyway. If only the reply is lost, any error may be reported; and
 * libuv itself retries an interrupted rename, which then finds no file.
 * @param error that was reported
 * @param directory in which the change was to be made, anchored
 * @param look checks the current state by calls that bypass caches: sshfs caches stat results for 20 s. Undefined if
 *   inconclusive
 * @throws OperationError internal if the outcome is unknown; `error` itself if it is not a system error
 */
export function wasCarriedOut(
  error: unknown,
  directory: string,
  notices: Notice[],
  look: () => boolean | undefined,
): boolean {
  if (!isSystemError(error)) throw error;
  const done = orUndefined(look);
  if (done === undefined && !refusals.has(error.code) && isRemote(directory)) throw outcomeUnknown(error);
  if (done !== true) return false;
  if (!isTransient(error.code)) notices.push(noticeOf('A change was reported as failed but carried out', error));
  return true;
}

/** Errors of open that prove something is there. */
const saysThere: ReadonlySet<string | undefined> = new Set(['EACCES', 'EBUSY', 'EISDIR', 'ELOOP', 'ENXIO', 'EPERM']);

/**
 * Whether anything has a name. Bypasses caches for a regular file.
 * @throws the system error if the system does not say
 */
export function isThere(path: string): boolean {
  try {
    closeRead(open(path, toRead));
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (saysThere.has(errno)) return true;
    if (errno !== 'ENOENT') throw error;
    return false;
  }
}

/**
 * libfuse (to `.fuse_hidden…`), NFS (to `.nfs…`) and SMB rename an open file aside before replacing it. If another
 * program had it open and the replacement failed, its name is gone: recreate it as it was. Does nothing if the name is
 * taken.
 * @param original as it was read
 * @param attributed a descriptor of a file with its owner, rights and attributes
 * @throws OperationError internal if it is missing and cannot be recreated
 */
export function putBack(original: Version, place: Place, attributed: number, notices: Notice[]): void {
  // On a local file system, another program has removed it.
  if (!isRemote(place.directory)) return;
  const fd = makeAgain(place);
  if (fd === undefined) return;
  try {
    refill(fd, original, place);
    copyMetadata({ ...original, file: { ...original.file, fd: attributed } }, { fd, stats: fstat(fd) }, notices);
    fsyncSync(fd);
    notices.push({ message: 'A file that was gone when its replacement had failed was put back' });
  } catch (error) {
    throw outcomeUnknown(error);
  } finally {
    closeQuietly(fd, notices);
  }
}

/** @returns undefined if something is there, or nothing may be created there @throws OperationError internal */
function makeAgain({ path }: Place): number | undefined {
  try {
    return open(path, toCreate, 0o600);
  } catch (error) {
    if (!refusals.has(errnoOf(error) ?? '')) throw outcomeUnknown(error);
    return undefined;
  }
}

/** Removes an incomplete file. @throws the system error; OperationError write_failed */
function refill(fd: number, { bytes }: Version, { path }: Place): void {
  try {
    writeWhole(fd, bytes);
  } catch (error) {
    if (isSameFile(lstat(path), fstat(fd))) unlink(path);
    throw error;
  }
}
