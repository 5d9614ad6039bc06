/** Opens the regular file at a place. confine.ts finds the place. */
import { constants, type BigIntStats } from 'node:fs';
import { OperationError, type FailureData } from '../../../src/core/errors.js';
import { forPathTools } from '../../../src/core/names/filename.js';
import { access, fstat, lstat, open, toRead } from '../calls.js';
import { closeLater, closeRead, closeWithOthers } from '../close.js';
import { errnoOf, isDenied, isSystemError, orUndefined, pause } from '../system-error.js';

/** O_NOCTTY: do not let a terminal take over the process. */
const readFlags = toRead | (constants.O_NOCTTY ?? 0);

/** The location of a file inside the working directory, links resolved. */
export interface Place {
  /** Path below the working directory, with `/`: identifies the file for locks, whatever name was used. */
  readonly relative: string;
  /** Path for system calls; its directory cannot be swapped. */
  readonly path: string;
  /** Path of the file's directory, for syncing it. */
  readonly directory: string;
  /** The directory's path below the working directory; '' is the working directory itself. */
  readonly parent: string;
}

/** A regular file, open for reading. */
export interface OpenFile {
  readonly fd: number;
  readonly stats: BigIntStats;
  readonly place: Place;
  /**
   * Close the file early, and every deferred close of this thread with it. The directory stays open, so the place
   * remains valid.
   */
  release(): void;
  close(): void;
  /** Close once the answer is on its way (close.ts). */
  closeLater(): void;
}

/** This process may not use the file, or its name leads to a forbidden place. */
export const denied = (name: string, more: { details?: string; data?: FailureData } = {}): OperationError =>
  new OperationError('permission_denied', `Permission denied accessing '${name}'`, more);

/** For a name that is not a regular file. @param seen the stats of its entry */
export function notRegular(name: string, seen?: Pick<BigIntStats, 'isDirectory'>): OperationError {
  const more = seen?.isDirectory() === true ? { details: `It is a directory. ${forPathTools}` } : {};
  return new OperationError('not_a_regular_file', `'${name}' is not a regular file`, more);
}

/** For a file that exists at the stat and is gone at the open: 21 ms in total. */
const mostLooks = 8;

/**
 * Open a regular file. A link is not followed.
 * @param name for messages
 * @param parent closed together with the file
 * @param known the result of a stat a moment ago
 * @param looks number of attempts, including this one
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
    // Opening a FIFO releases a waiting writer, whose data would be lost; opening a device may do anything.
    const seen = known ?? lstat(place.path);
    if (seen === undefined) return null;
    if (seen.isSymbolicLink()) return 'link';
    if (!seen.isFile()) throw notRegular(name, seen);
    fd = openToRead(place);
  } catch (error) {
    // Replaced between stat and open; on FUSE the open then finds nothing: 2 to 13 % of reads during edits.
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

/** A descriptor for reading; links are not followed where the system supports that. @throws the system error */
export function openToRead({ path }: Pick<Place, 'path'>): number {
  return open(path, readFlags);
}

/** Explains a failed open. The type of a file takes precedence over its permissions, so stat it. */
function explain(error: unknown, place: Place, name: string): 'link' | null {
  const errno = errnoOf(error);
  if (errno === 'ENOENT') return null;
  if (errno === 'ELOOP' || errno === 'EMLINK') return 'link';
  if (errno === 'ENXIO') throw notRegular(name);
  if (!isSystemError(error)) throw error;
  // The open has failed already and reported why.
  const seen = orUndefined(() => lstat(place.path));
  if (seen?.isSymbolicLink() === true) return 'link';
  if (seen !== undefined && !seen.isFile()) throw notRegular(name, seen);
  if (isDenied(errno)) throw denied(name, { data: { errno } });
  throw error;
}

/** The file was removed after it was opened, or replaced by a link, which access follows: the next check decides. */
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
