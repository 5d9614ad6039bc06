/** File systems that put a file aside before they replace it, if anyone has it open. */
import { constants, fsyncSync } from 'node:fs';
import type { Notice } from '../../src/errors.js';
import { lstat, open, statfs } from './calls.js';
import { closeQuietly } from './close.js';
import { copyMetadata } from './metadata.js';
import type { Place } from './open-file.js';
import { isSystemError } from './system-error.js';
import type { Version } from './version.js';
import { outcomeUnknown } from './write-failed.js';
import { writeWhole } from './write-whole.js';

/** `f_type` of statfs(2): FUSE, and NFS. */
const types: ReadonlySet<number> = new Set([0x65735546, 0x6969]);

/**
 * Whether the file system, before it replaces a file that is open, renames that aside ("silly rename": libfuse to
 * `.fuse_hidden…`, NFS to `.nfs…`). Readers then find no file for a moment (17,365 of 133,805 looks through libfuse),
 * and if the replacement fails the file is gone for good, with its last descriptor.
 * @param directory anchored
 */
export function putsOpenFilesAside(directory: string): boolean {
  // Elsewhere types have other numbers. It costs nothing but speed to take them for such (close.ts).
  if (process.platform !== 'linux') return true;
  try {
    return types.has(statfs(`${directory}/.`).type);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return true;
  }
}

const createFlags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * Where another program had a file open whose replacement has failed, nothing is left of it: make it again, as it was.
 * Does nothing if anything has its name.
 * @param original as it was read
 * @param attributed a descriptor of a file with its owner, rights and attributes
 * @throws OperationError internal if it is missing and cannot be made
 */
export function putBack(original: Version, place: Place, attributed: number, notices: Notice[]): void {
  try {
    // Elsewhere another program has removed it.
    if (lstat(place.path) !== undefined || !putsOpenFilesAside(place.directory)) return;
    const fd = open(place.path, createFlags, 0o600);
    try {
      const { stats } = writeWhole(fd, original.bytes);
      copyMetadata({ ...original, file: { ...original.file, fd: attributed } }, { fd, stats }, notices);
      fsyncSync(fd);
    } finally {
      closeQuietly(fd, notices);
    }
    notices.push({ message: 'A file that was gone when its replacement had failed was put back' });
  } catch (error) {
    throw outcomeUnknown(error);
  }
}
