/**
 * Finishes the changes that a killed process had decided (spec 14): before anyone writes one of their files, and before
 * a server reports that it is ready.
 */
import { closeSync, type BigIntStats } from 'node:fs';
import type { Notice, OperationError } from '../../../src/core/errors.js';
import { isSameFile } from '../../../src/core/file-identity.js';
import { recordName, reservedName } from '../../../src/core/names/reserved-name.js';
import type { WorkerSetup } from '../../../src/core/thread/task.js';
import { fstat, lstat, open, toReadAndWriteAny, unlink } from '../../disk/calls.js';
import { lockNumber, releaseLock, tryFileLocks } from '../../disk/lock/lock.js';
import type { Reserved } from '../../disk/lock/reserved.js';
import { shareTree, withWholeTree } from '../../disk/lock/tree-lock.js';
import type { Anchor } from '../../disk/paths/anchor.js';
import type { Root } from '../../disk/paths/root.js';
import { readAll } from '../../disk/read.js';
import {
  describe,
  errnoOf,
  isDenied,
  isNoFile,
  isSystemError,
  noticeOf,
  pause,
  retrying,
} from '../../disk/system-error.js';
import { syncDirectories, syncDirectory, syncsDirectories } from '../../disk/write/directory-sync.js';
import { writeFailed } from '../../disk/write/write-failed.js';
import { makeChanges, removeRecord, StepFailed } from './completion.js';
import { Directories } from './directories.js';
import { directoryMovesIn, parseRecord, pathsIn, type ChangeRecord, type Step } from './record.js';
import { keepStep, recordSet } from '../../history/change-set.js';
import type { History } from '../../history/history.js';
import { tryLock } from '../../disk/lock/system-lock.js';

/** 1,000 files, and two paths for each of 100 changes; a path is at most 4,096 bytes, and up to six times as long as JSON. */
const mostRecordBytes = 33_554_432;

interface Where {
  readonly root: Root;
  readonly reserved: Reserved;
  readonly history: History;
  readonly setup: Pick<WorkerSetup, 'durability'>;
}

/** A record in the reserved directory, as a writer sees it. */
interface Seen {
  /** The process that decided the changes has died: they must be finished before anything else is written. */
  readonly abandoned: boolean;
  /** The changes concern the writer's files. */
  readonly concerned: boolean;
}

/**
 * Look for a record; one stat if there is none.
 * @param relatives the paths of the files to be written, whose locks the writer holds
 * @throws the system error
 */
export function seenRecord(
  { reserved }: Pick<Where, 'reserved'>,
  relatives: readonly string[],
  notices: Notice[],
): Seen | undefined {
  const directory = reserved.use(notices);
  if (lstat(directory.path(recordName)) === undefined) return undefined;
  const found = openRecord(directory);
  if (found === undefined) return undefined;
  try {
    const record = contentOf(found);
    if (record === 'foreign') return undefined;
    const numbers = new Set(relatives.map(lockNumber));
    const paths = record === 'void' ? [] : pathsIn(record);
    return { abandoned: isFree(found), concerned: paths.some((path) => numbers.has(lockNumber(path))) };
  } finally {
    closeSync(found.fd);
  }
}

/**
 * Make the changes of a record whose process has died.
 * @returns false if another process is making them, or holds the lock of one of their files
 * @throws OperationError write_failed if they could not be made: the record stays
 */
export function finishAbandoned(where: Where, notices: Notice[]): boolean {
  let finished = false;
  try {
    const directory = where.reserved.use(notices);
    const found = openRecord(directory);
    if (found === undefined) return true;
    try {
      finished = isFree(found) && isInPlace(found, directory) && finish(found, directory, where, notices);
    } finally {
      closeSync(found.fd);
    }
  } catch (error) {
    throw unfinished(error);
  }
  // A sweep leaves temporary files alone as long as there is a record.
  if (finished) where.reserved.sweepLeftovers(notices);
  return finished;
}

/** @returns false if another process holds the lock of a file */
function finish(found: Found, directory: Anchor, where: Where, notices: Notice[]): boolean {
  const { reserved } = where;
  const record = contentOf(found);
  const name = `${reservedName}/${recordName}`;
  if (record === 'foreign') {
    notices.push({ message: `${name} is left alone: another version of this program has decided what is in it` });
    return true;
  }
  if (record === 'void') {
    unlink(directory.path(recordName));
    notices.push({ message: `${name} was removed and nothing in it done: no server wrote it here, or not all of it` });
    return true;
  }
  const takeTree = directoryMovesIn(record.steps).length === 0 ? shareTree : withWholeTree;
  const lock = takeTree(reserved, () => tryFileLocks(reserved, pathsIn(record), notices), notices);
  if (lock === null) return false;
  try {
    complete(record, directory, where, notices);
  } finally {
    releaseLock(lock, notices);
  }
  return true;
}

/** @param directory the reserved one */
function complete(record: ChangeRecord, directory: Anchor, { root, history, setup }: Where, notices: Notice[]): void {
  const synced = syncsDirectories(setup);
  const keep = (step: Step, path: string): void => {
    keepStep(history, record, step, path, notices);
  };
  const tree = {
    directories: new Directories(root, directoryMovesIn(record.steps)),
    reserved: directory,
    notices,
    keep,
  };
  let outcome = 'completed';
  let left: readonly Step[] = [];
  try {
    // The killed process need not have come so far. Without the record, nobody could finish what is begun now.
    if (synced) syncAllowed([directory, root.anchor], notices);
    try {
      left = makeChanges(record, tree);
    } catch (error) {
      if (!(error instanceof StepFailed && error.undone)) throw error;
      outcome = 'taken back';
    }
    if (synced) for (const batch of tree.directories.inBatches()) syncAllowed(batch, notices);
    if (outcome === 'completed') {
      recordSet(history, record, left, true, notices);
      for (const fd of history.unsynced) syncDirectory({ fd }, notices);
    }
    removeRecord(record, tree);
    if (synced) syncDirectories([directory], notices);
  } finally {
    tree.directories.close();
  }
  const count = String(record.steps.length);
  notices.push({ message: `Changes of several files (${count}) that a killed process had decided were ${outcome}` });
}

/** Skips directories that this process may not read: it can never sync them. */
function syncAllowed(directories: readonly Anchor[], notices: Notice[]): void {
  try {
    syncDirectories(directories, notices);
  } catch (error) {
    if (!isSystemError(error) || !isDenied(error.code)) throw error;
    notices.push(noticeOf('A directory could not be synced', error));
  }
}

/** Anything but an error of a system call or a step is a bug, and thrown as it is. */
function unfinished(error: unknown): OperationError {
  const cause = error instanceof StepFailed ? error.cause : error;
  if (!isSystemError(cause)) throw cause;
  const path = error instanceof StepFailed ? error.step?.path : undefined;
  return writeFailed(cause, {
    reason: `changes of several files that were decided before cannot be completed (${describe(cause)})`,
    details: `Nothing was written. ${path === undefined ? '' : `The cause is '${path}'. `}Have the cause removed, then retry; or remove ${reservedName}/${recordName} to give up the changes that are still open.`,
  });
}

/** Whether the record's name is taken by something that this program neither made nor will remove. */
export function isForeignRecord(directory: Anchor): boolean {
  const found = openRecord(directory);
  if (found === undefined) return lstat(directory.path(recordName))?.isFile() === false;
  try {
    return contentOf(found) === 'foreign';
  } finally {
    closeSync(found.fd);
  }
}

/** How long a starting server waits for others that are writing the same files. */
const patienceMs = 200;
const pauseMs = 5;

/**
 * At server start: make the changes that a killed process had decided, without creating anything else.
 * @throws as finishAbandoned
 */
export function finishLeftovers(where: Where, notices: Notice[]): void {
  if (!where.reserved.isThere) return;
  const at = where.root.anchor.path(`${reservedName}/${recordName}`);
  const began = performance.now();
  while (lstat(at)?.isFile() === true && !finishAbandoned(where, notices)) {
    if (performance.now() - began > patienceMs) return;
    pause(pauseMs);
  }
}

interface Found {
  readonly fd: number;
  readonly stats: BigIntStats;
}

/** @returns undefined if there is none; anything else of that name is left alone */
function openRecord(directory: Anchor): Found | undefined {
  let fd: number;
  try {
    fd = open(directory.path(recordName), toReadAndWriteAny);
  } catch (error) {
    if (isNoFile(errnoOf(error))) return undefined;
    throw error;
  }
  const stats = fstat(fd);
  if (stats.isFile()) return { fd, stats };
  closeSync(fd);
  return undefined;
}

/**
 * The owner of a record holds a lock on it. If the lock is free, this takes it, and holds it until the file is closed.
 */
function isFree({ fd }: Found): boolean {
  return retrying(() => tryLock(fd));
}

function isInPlace({ stats }: Found, directory: Anchor): boolean {
  return isSameFile(lstat(directory.path(recordName)), stats);
}

function contentOf({ fd, stats }: Found): ReturnType<typeof parseRecord> {
  return stats.size > mostRecordBytes ? 'void' : parseRecord(readAll({ fd, stats }, mostRecordBytes), stats);
}
