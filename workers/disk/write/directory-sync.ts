import { fsyncSync } from 'node:fs';
import { OperationError, type Notice } from '../../../src/core/errors.js';
import { timing } from '../../../src/core/thread/timings.js';
import { closeRead } from '../close.js';
import { openReadable, type Anchor } from '../paths/anchor.js';
import type { Root } from '../paths/root.js';
import { errnoOf, isSystemError, isUnsyncable } from '../system-error.js';
import { platform } from '../../../src/core/platform.js';
import type { WorkerSetup } from '../../../src/core/thread/task.js';

/** A directory opened before its entries change: running out of descriptors afterwards would be too late. */
interface SyncedDirectory {
  readonly fd: number;
  /** Opened for this write alone; the working directory is open anyway. */
  readonly own: boolean;
}

/** Whether directories are synced after their entries change (spec 6 and 19). */
export function syncsDirectories({ durability }: Pick<WorkerSetup, 'durability'>): boolean {
  return durability === 'full' && platform.canSyncDirectories;
}

/** @param directory its anchored path @throws the system error */
export function openToSync({ anchor }: Root, directory: string): SyncedDirectory {
  if (directory === anchor.base) return { fd: anchor.readable, own: false };
  return { fd: openReadable(directory), own: true };
}

/** @throws the system error, unless it means that directories cannot be synced here */
export function syncDirectory({ fd }: Pick<SyncedDirectory, 'fd'>, notices: Notice[]): void {
  try {
    timing('directory_sync', () => {
      fsyncSync(fd);
    });
  } catch (error) {
    excuseUnsyncable(error, notices);
  }
}

/** Sync directories that are open. @throws the system error, unless it means that directories cannot be synced here */
export function syncDirectories(directories: readonly Anchor[], notices: Notice[]): void {
  for (const { readable } of directories) syncDirectory({ fd: readable }, notices);
}

/** Records an error that means directories cannot be synced here. @throws any other */
function excuseUnsyncable(error: unknown, notices: Notice[]): void {
  if (!isSystemError(error) || !isUnsyncable(error.code)) throw error;
  notices.push({
    message: 'This file system cannot sync directories; edits may be lost in a power failure',
    errno: error.code,
  });
}

/** Close a directory opened only for a sync. */
export function closeSynced({ fd, own }: SyncedDirectory): void {
  if (own) closeRead(fd);
}

/** For a sync error after entries were changed. @throws OperationError not_durable if it counts */
export function excuseUnsynced(error: unknown, notices: Notice[]): void {
  const counts = unlessExcused(error, notices);
  if (counts !== undefined) throw counts;
}

/** The same for a caller that has more to do before it fails. @returns undefined if it does not count */
export function unlessExcused(error: unknown, notices: Notice[]): OperationError | undefined {
  try {
    excuseUnsyncable(error, notices);
    return undefined;
  } catch {
    return notDurable(error);
  }
}

/** The change is made, but may not survive a power failure (spec 5.5). */
function notDurable(error: unknown): OperationError {
  const errno = errnoOf(error);
  return new OperationError('not_durable', 'Edit applied but not confirmed durable', {
    data: { ...(errno === undefined ? {} : { errno }), applied: true },
    cause: String(error),
  });
}

/**
 * Change entries of directories, then sync the directories.
 * @param directories their anchored paths
 * @param beside descriptors of files and directories that the change has made use of, synced first
 * @throws what `change` throws, with nothing changed; OperationError not_durable
 */
export function changeSynced(
  root: Root,
  directories: readonly string[],
  notices: Notice[],
  change: () => void,
  beside: () => readonly number[] = () => [],
): void {
  const opened: SyncedDirectory[] = [];
  try {
    for (const directory of new Set(directories)) opened.push(openToSync(root, directory));
    change();
    try {
      for (const fd of beside()) syncDirectory({ fd }, notices);
      for (const directory of opened) syncDirectory(directory, notices);
    } catch (error) {
      throw notDurable(error);
    }
  } finally {
    for (const directory of opened) closeSynced(directory);
  }
}
