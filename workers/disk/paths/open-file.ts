/** Opening what a place names, if that is a regular file. Where a place is, confine.ts finds out. */
import { constants, type BigIntStats } from 'node:fs';
import { OperationError, type FailureData } from '../../../src/core/errors.js';
import { forPathTools } from '../../../src/core/names/filename.js';
import { access, fstat, lstat, open, toRead } from '../calls.js';
import { closeLater, closeRead, closeWithOthers } from '../close.js';
import { errnoOf, isDenied, isSystemError, orUndefined, pause } from '../system-error.js';

/** O_NOCTTY: do not let a terminal take over the process. */
const readFlags = toRead | (constants.O_NOCTTY ?? 0);

/** Where a file is, links resolved, inside the working directory. */
export interface Place {
  /** Path below the working directory, with `/`: identifies the file for locks, whatever name was used. */
  readonly relative: string;
  /** Path for system calls; its directory cannot be swapped. */
  readonly path: string;
  /** Path of the directory that holds the file, for syncing it. */
  readonly directory: string;
  /** Of that directory, its path below the working directory; '' is that itself. */
  readonly parent: string;
}

/** A regular file, open for reading. */
export interface OpenFile {
  readonly fd: number;
  readonly stats: BigIntStats;
  readonly place: Place;
  /**
   * Close the file before its time, however often this thread has opened it. The directory stays open, so that the place
   * still holds.
   */
  release(): void;
  close(): void;
  /** Once the answer is on its way (close.ts). */
  closeLater(): void;
}

/** This process may not use the file, or its name leads where it must not. */
export const denied = (name: string, more: { details?: string; data?: FailureData } = {}): OperationError =>
  new OperationError('permission_denied', `Permission denied accessing '${name}'`, more);

/** For a name that is not that of a regular file. @param seen what is there */
export function notRegular(name: string, seen?: Pick<BigIntStats, 'isDirectory'>): OperationError {
  const more = seen?.isDirectory() === true ? { details: `It is a directory. ${forPathTools}` } : {};
  return new OperationError('not_a_regular_file', `'${name}' is not a regular file`, more);
}

/** For a file that is there when it is looked at and gone when it is opened: 21 ms in all. */
const mostLooks = 8;

/**
 * Open a regular file. A link is not followed.
 * @param name for messages
 * @param parent closed together with the file
 * @param known what a look a moment ago has found there
 * @param looks how many it has had, this one included
 * @returns null if nothing is there, 'link' if a symbolic link is
 * @throws OperationError permission_denied, not_a_regular_file; the system error
 */
export function tryOpen(
  place: Place,
  name: string,
  parent?: { close(): void },
  known?: BigIntStats,
  looks = 1,
): OpenFile | 'link' | null {
  let fd: number;
  try {
    // To open a FIFO lets a waiting writer go on, whose data would be lost; a device may do anything.
    const seen = known ?? lstat(place.path);
    if (seen === undefined) return null;
    if (seen.isSymbolicLink()) return 'link';
    if (!seen.isFile()) throw notRegular(name, seen);
    fd = openToRead(place);
  } catch (error) {
    // It was replaced between the look and the open, which finds nothing then on FUSE: 2 to 13 % of reads beside edits.
    if (errnoOf(error) === 'ENOENT' && looks < mostLooks) {
      pause(looks - 1);
      return tryOpen(place, name, parent, undefined, looks + 1);
    }
    return explain(error, place, name);
  }
  try {
    const stats = fstat(fd);
    if (!stats.isFile()) throw notRegular(name, stats);
    let isOpen = true;
    const closeBy = (close: (fd: number) => void): void => {
      if (isOpen) close(fd);
      isOpen = false;
    };
    return {
      fd,
      stats,
      place,
      release: () => {
        closeBy(closeWithOthers);
      },
      close: () => {
        closeBy(closeRead);
        parent?.close();
      },
      closeLater: () => {
        closeBy(closeLater);
        parent?.close();
      },
    };
  } catch (error) {
    closeRead(fd);
    throw error;
  }
}

/**
 * A descriptor for reading what is there; links are not followed where the system can tell. @throws the system error
 */
export function openToRead({ path }: Place): number {
  return open(path, readFlags);
}

/** What a failed open means. The type of a file outranks its permissions, so what cannot be opened is looked at. */
function explain(error: unknown, place: Place, name: string): 'link' | null {
  const errno = errnoOf(error);
  if (errno === 'ENOENT') return null;
  if (errno === 'ELOOP' || errno === 'EMLINK') return 'link';
  if (errno === 'ENXIO') throw notRegular(name);
  if (!isSystemError(error)) throw error;
  // The open has failed already and said why.
  const seen = orUndefined(() => lstat(place.path));
  if (seen?.isSymbolicLink() === true) return 'link';
  if (seen !== undefined && !seen.isFile()) throw notRegular(name, seen);
  if (isDenied(errno)) throw denied(name, { data: { errno } });
  throw error;
}

/** The file is gone since it was opened, or a link is in its place, which this look follows: the next look tells. */
const goneSince: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ELOOP', 'ENOTDIR', 'ENAMETOOLONG']);

/** @throws OperationError permission_denied if this process may not write the file (mode, ACL, attributes) */
export function assertWritable(place: Place, name: string): void {
  try {
    access(place.path, constants.W_OK);
  } catch (error) {
    const errno = errnoOf(error);
    if (isDenied(errno)) throw denied(name, { data: { errno } });
    if (!goneSince.has(errno)) throw error;
  }
}
