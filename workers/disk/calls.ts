/**
 * System calls on the user's files and the reserved directory that are safe to retry. Each is retried while it fails
 * with a transient error (spec 6). Calls that must not be retried blindly are made elsewhere: rename, link and unlink
 * of the user's files, whose callers check again before each attempt; close; and fsync, which reports its error once
 * and then forgets it. All calls throw the system error.
 */
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmdirSync,
  statfsSync,
  symlinkSync,
  unlinkSync,
  writeSync,
  type BigIntStats,
  type Dirent,
  type StatsFs,
} from 'node:fs';
import { errnoOf, orUndefined, retryingOneOfMany } from './system-error.js';
import { textOfLink } from './paths/system-path.js';

const bigint = { bigint: true } as const;
const orNothing = { bigint: true, throwIfNoEntry: false } as const;

/** Stats of a path, without following a final link; undefined if nothing is there. */
export function lstat(path: string): BigIntStats | undefined {
  return retryingOneOfMany(() => lstatSync(path, orNothing));
}

/** @throws the system error, as every call here */
export function fstat(fd: number): BigIntStats {
  return retryingOneOfMany(() => fstatSync(fd, bigint));
}

/** Stats of the file system that contains a path. */
export function statfs(path: string): StatsFs {
  return retryingOneOfMany(() => statfsSync(path));
}

/** Fail if the last component is a link. Windows lacks this flag and the next one. */
const noLink = constants.O_NOFOLLOW ?? 0;
/** Do not wait for the other end of a FIFO. */
const noWait = constants.O_NONBLOCK ?? 0;

/** Flags for `open`. */
export const toRead = constants.O_RDONLY | noLink | noWait;
export const toReadAndWrite = constants.O_RDWR | noLink;
/** The same for a path that may be a FIFO: does not wait for its other end. */
export const toReadAndWriteAny = toReadAndWrite | noWait;
/** For a file that does not exist yet. */
export const toCreate = toReadAndWrite | constants.O_CREAT | constants.O_EXCL;

/** If an exclusive create succeeds but is reported as failed, the retry reports EEXIST. */
export function open(path: string, flags: number, mode?: number): number {
  return retryingOneOfMany(() => openSync(path, flags, mode));
}

/** Throws unless this process has the rights of `mode` (R_OK, W_OK). */
export function access(path: string, mode: number): void {
  retryingOneOfMany(() => {
    accessSync(path, mode);
  });
}

/** The text of a link. Bytes that are not UTF-8 become U+FFFD. */
export function readlink(path: string): string {
  return retryingOneOfMany(() => readlinkSync(path));
}

/** The text of a link as bytes. */
export function readlinkBytes(path: string): Buffer {
  return retryingOneOfMany(() => readlinkSync(path, 'buffer'));
}

/**
 * A path without links, resolved by the system: the JavaScript version makes a call for every component. Bytes that are
 * not UTF-8 become U+FFFD.
 */
export function realpath(path: string): string {
  return retryingOneOfMany(() => realpathSync.native(path));
}

/** A path without links, as bytes. */
export function realpathBytes(path: string): Buffer {
  return retryingOneOfMany(() => realpathSync.native(path, 'buffer'));
}

/** Names in a directory. */
export function readdir(path: string, encoding: 'utf8' | 'latin1' = 'utf8'): string[] {
  return retryingOneOfMany(() => readdirSync(path, encoding));
}

/** Names in a directory, one character per byte, with their types where the directory records them. */
export function readdirTypes(path: string): Dirent[] {
  return retryingOneOfMany(() => readdirSync(path, { encoding: 'latin1', withFileTypes: true }));
}

/** The same for at most `most` names. */
export function readSomeTypes(path: string, most: number): Dirent[] {
  return retryingOneOfMany(() => {
    const directory = opendirSync(path, { encoding: 'latin1', bufferSize: 1024 });
    try {
      const entries: Dirent[] = [];
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        entries.push(entry);
        if (entries.length === most) break;
      }
      return entries;
    } finally {
      directory.closeSync();
    }
  });
}

/** @returns the number of bytes read, 0 at the end */
export function read(fd: number, target: Buffer, offset: number, length: number, position: number): number {
  return retryingOneOfMany(() => readSync(fd, target, offset, length, position));
}

/** Write `bytes` from `offset` on, at the end of the last write. @returns the number of bytes written */
export function write(fd: number, bytes: Buffer, offset: number): number {
  return retryingOneOfMany(() => writeSync(fd, bytes, offset));
}

/** Write all bytes at a position. @param fd not opened to append */
export function writeAt(fd: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length;) {
    const from = at;
    at += retryingOneOfMany(() => writeSync(fd, bytes, from, bytes.length - from, position + from));
  }
}

/** A file with the same bytes and mode. An earlier copy is replaced: it may be half of one. */
export function copyFile(from: string, to: string): void {
  retryingOneOfMany(() => {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  });
}

/** The text of a file of the system, such as those in /proc. */
export function readText(path: string): string {
  return retryingOneOfMany(() => readFileSync(path, 'utf8'));
}

/** @param length in bytes */
export function ftruncate(fd: number, length: number): void {
  retryingOneOfMany(() => {
    ftruncateSync(fd, length);
  });
}

/** @param mode permission bits */
export function chmod(path: string, mode: number): void {
  retryingOneOfMany(() => {
    chmodSync(path, mode);
  });
}

/** @param mode permission bits */
export function fchmod(fd: number, mode: number): void {
  retryingOneOfMany(() => {
    fchmodSync(fd, mode);
  });
}

/** @param time for both mtime and atime; seconds since 1970 */
export function futimes(fd: number, time: number): void {
  retryingOneOfMany(() => {
    futimesSync(fd, time, time);
  });
}

/** @param uid -1 keeps the owner */
export function fchown(fd: number, uid: number, gid: number): void {
  retryingOneOfMany(() => {
    fchownSync(fd, uid, gid);
  });
}

/** @param mode permission bits, less the umask; all if absent */
export function mkdir(path: string, mode?: number): void {
  retryingOneOfMany(() => {
    mkdirSync(path, mode);
  });
}

/** A link that exists after an attempt reported as failed counts as made. */
export function symlink(target: string, path: string): void {
  const isMade = (): boolean => textOfLink(orUndefined(() => readlink(path)) ?? '') === target;
  retryingOneOfMany((again) => {
    try {
      symlinkSync(target, path);
    } catch (error) {
      if (!again || errnoOf(error) !== 'EEXIST' || !isMade()) throw error;
    }
  });
}

/** For the server's own files. A file that is gone after an attempt reported as failed counts as removed. */
export function unlink(path: string): void {
  retryingOneOfMany((again) => {
    unlessGone(again, () => {
      unlinkSync(path);
    });
  });
}

/** As `unlink`, for an empty directory. */
export function rmdir(path: string): void {
  retryingOneOfMany((again) => {
    unlessGone(again, () => {
      rmdirSync(path);
    });
  });
}

function unlessGone(again: boolean, remove: () => void): void {
  try {
    remove();
  } catch (error) {
    if (!again || errnoOf(error) !== 'ENOENT') throw error;
  }
}
