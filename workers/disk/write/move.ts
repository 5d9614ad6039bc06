import { constants, renameSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { OperationError, type Notice } from '../../../src/core/errors.js';
import { isSameFile } from '../../../src/core/file-identity.js';
import { lstat } from '../calls.js';
import { assertStillInside } from '../paths/descend.js';
import { changeSynced } from './directory-sync.js';
import { isAllowed } from '../paths/open-listed.js';
import { Parents } from '../paths/parents.js';
import { changedMeanwhile, insideItself, pathDenied, pathExists, whileThere } from '../paths/path-errors.js';
import {
  isPlaceholder,
  isStillFree,
  putPlaceholder,
  removePlaceholder,
  takeBackPlaceholder,
} from '../paths/placeholder.js';
import { isRemote, isThere, wasCarriedOut } from './remote.js';
import { recorded, type Recording } from '../../history/recording.js';
import type { Root } from '../paths/root.js';
import { changeWhenLetGo } from '../../let-go.js';
import { isHeldOpen, isSystemError, noticeOf, retrying } from '../system-error.js';
import type { Spot } from '../paths/walk.js';
import type { Place } from '../paths/open-file.js';
import { isRespelling, respell } from '../paths/spelling.js';

/** Two places below the working directory, and the entry to move from one to the other. */
export interface Move {
  readonly from: Spot;
  readonly to: Spot;
  /** Stats of the entry, taken under the locks. */
  readonly what: BigIntStats;
}

interface Terms {
  /** Whether all locks that the move needs are still held. */
  readonly isHeld: () => boolean;
  /** The last chance to refuse, by throwing. */
  readonly claim: () => void;
  /** Whether the directories are synced. */
  readonly synced: boolean;
  /** Undefined without --history. */
  readonly recording?: Recording | undefined;
  readonly notices: Notice[];
}

/**
 * Rename without replacing anything, making the directories that the new path needs (spec 11).
 *
 * A process killed midway leaves either the old path or the new one; along with the old one, at most empty directories
 * and a placeholder (placeholder.ts).
 * @throws OperationError file_exists, invalid_params, write_failed (another file system), not_durable;
 *   modified_concurrently if a retry is worthwhile; internal if the outcome is unknown; the system error
 */
export async function move(root: Root, { from, to, what }: Move, terms: Terms): Promise<void> {
  const { synced, recording, notices } = terms;
  const parents = new Parents(root, to);
  let moved = false;
  try {
    parents.make(synced, notices);
    const target = parents.last.place(to.name);
    const source = from.parent.place(from.name);
    const change = (): void => {
      assertStillInside(root, from.parent, from.path);
      assertStillInside(root, parents.last, to.path);
      terms.claim();
      const ends = { from: { at: source.path, path: from.path }, to: { at: target.path, path: to.path }, what };
      recorded(recording, () => {
        if (isRespelling(source, target)) renameRespelled(ends, terms, source, target);
        else if (what.isDirectory()) renameDirectory(ends, terms);
        else renameHeld(ends, terms);
        moved = true;
      });
    };
    const directories = synced ? [source.directory, target.directory] : [];
    await changeWhenLetGo(() => {
      changeSynced(root, directories, notices, change, () => recording?.unsynced ?? []);
    });
  } finally {
    if (!moved) parents.remove(notices);
    parents.close();
  }
}

interface End {
  /** Its anchored path. */
  readonly at: string;
  /** As the caller wrote it. */
  readonly path: string;
}

interface Ends {
  readonly from: End;
  readonly to: End;
  readonly what: BigIntStats;
}

/** For files and links: rename(2) would replace any existing one. */
function renameHeld(ends: Ends, { isHeld, notices }: Terms): void {
  const { from, to, what } = ends;
  // Under the path's lock, a placeholder can only be left over from a killed process.
  removePlaceholder(to.at);
  if (!whileThere(to.path, () => putPlaceholder(to.at))) throw pathExists(to.path);
  let tried = false;
  try {
    retrying(() => {
      if (!isHeld() || !isSameFile(lstat(from.at), what) || !isStillFree(to.at)) throw changedMeanwhile(from.path);
      tried = true;
      rename(ends, notices);
    });
  } catch (error) {
    // If the outcome is unknown, the file may be there although the file system still shows the placeholder.
    if (!tried || isKnown(error)) takeBack(to.at, notices);
    throw error;
  }
}

/** Whether the error rules out a change. */
function isKnown(error: unknown): boolean {
  return !(error instanceof OperationError && error.failure.data?.applied !== undefined);
}

/** Report the failure of the rename, whatever happens to the placeholder. */
function takeBack(at: string, notices: Notice[]): void {
  try {
    takeBackPlaceholder(at);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    notices.push(noticeOf('A placeholder could not be removed', error));
  }
}

/** For directories: rename(2) replaces nothing but an empty directory. */
function renameDirectory(ends: Ends, { isHeld, notices }: Terms): void {
  const { from, to, what } = ends;
  removePlaceholder(to.at);
  retrying(() => {
    if (!isHeld() || !isSameFile(lstat(from.at), what)) throw changedMeanwhile(from.path);
    if (lstat(to.at) !== undefined) throw pathExists(to.path);
    rename(ends, notices);
  });
}

/** For another spelling of the entry's own name: nothing can be replaced. */
function renameRespelled({ from, what }: Ends, { isHeld }: Terms, source: Place, target: Place): void {
  retrying((again) => {
    if (again && !isRespelling(source, target)) return;
    if (!isHeld() || !isSameFile(lstat(from.at), what)) throw changedMeanwhile(from.path);
    respell(source, target);
  });
}

/**
 * @throws what the errors of rename(2) mean for the two paths (from other calls they would mean something else); the
 *   system error
 */
function rename(ends: Ends, notices: Notice[]): void {
  const { from, to, what } = ends;
  try {
    renameSync(from.at, to.at);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (isDone(ends, error, notices)) return;
    if (isHeldOpen(error)) throw error;
    switch (error.code) {
      case 'EEXIST':
      case 'ENOTEMPTY':
      case 'ENOTDIR':
      case 'EISDIR':
        throw pathExists(to.path);
      case 'ENOENT':
        throw changedMeanwhile(from.path);
      case 'EXDEV':
        throw onAnotherFileSystem(ends, error);
      case 'EINVAL':
        // For a file this error means that the file system cannot store such a name.
        if (what.isDirectory()) throw insideItself(to.path);
        break;
      case 'EACCES':
      case 'EPERM':
        // The system does not say which of the two directories is not writable.
        throw pathDenied(isAllowed(dirname(to.at), constants.W_OK) ? from.path : to.path, error.code);
    }
    throw error;
  }
}

/**
 * Whether an attempt reported as failed has moved the entry after all: the old path is gone, and the new one holds no
 * placeholder. For directories and links, remote file systems may answer from a cache, and inode numbers may change
 * between calls.
 */
function isDone({ from, to, what }: Ends, error: unknown, notices: Notice[]): boolean {
  const directory = dirname(to.at);
  return wasCarriedOut(error, directory, notices, () => {
    if (!isRemote(directory)) return lstat(from.at) === undefined && isSameFile(lstat(to.at), what);
    if (isThere(from.at)) return what.isFile() ? false : undefined;
    return (lstat(to.at) !== undefined && !isPlaceholder(to.at)) || undefined;
  });
}

/** For a directory on a lower layer of overlayfs, the system reports the same error. */
function onAnotherFileSystem({ from: { path }, to, what }: Ends, error: unknown): OperationError {
  const [message, instead] = what.isDirectory()
    ? [
        `Failed to rename: the file system cannot move the directory '${path}' in one step`,
        'Rename its files one by one',
      ]
    : [
        `Failed to rename: '${to.path}' is on another file system than '${path}'`,
        'Create the file at its new path and delete the old one',
      ];
  return new OperationError('write_failed', message, {
    details: `Nothing was changed. ${instead} instead, if the new path is on the file system of the working directory: nothing can be written to another one.`,
    data: { errno: 'EXDEV', path: to.path },
    cause: isSystemError(error) ? error.message : '',
  });
}
