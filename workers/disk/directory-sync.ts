import { fsyncSync } from 'node:fs';
import { OperationError, type Notice } from '../../src/errors.js';
import { timing } from '../timings.js';
import { closeRead } from './close.js';
import { openReadable, type Root } from './root.js';
import { errnoOf, isSystemError } from './system-error.js';

/** Directories cannot be synced there; the promise is weaker, and documented (contract 6). */
const unsyncable = new Set([
  'EINVAL',
  'ENOTSUP',
  'EISDIR',
  ...(process.platform === 'win32' ? ['EPERM', 'EACCES'] : []),
]);

/** A directory that is opened before something in it changes: running out of descriptors afterwards would be too late. */
interface SyncedDirectory {
  readonly fd: number;
  /** Opened for this write; the working directory is open anyway. */
  readonly own: boolean;
}

/** @param directory its anchored path @throws the system error */
export function openToSync({ anchor }: Root, directory: string): SyncedDirectory {
  if (directory === anchor.base) return { fd: anchor.readable, own: false };
  return { fd: openReadable(directory), own: true };
}

/** @throws the system error, but not where directories cannot be synced */
export function syncDirectory({ fd }: SyncedDirectory, notices: Notice[]): void {
  try {
    timing('directory_sync', () => {
      fsyncSync(fd);
    });
  } catch (error) {
    excuseUnsyncable(error, notices);
  }
}

/** @throws any other error than that directories cannot be synced, which is noted */
export function excuseUnsyncable(error: unknown, notices: Notice[]): void {
  if (!isSystemError(error) || !unsyncable.has(error.code)) throw error;
  notices.push({
    message: 'This file system cannot sync directories; edits may be lost in a power failure',
    errno: error.code,
  });
}

export function closeSynced({ fd, own }: SyncedDirectory): void {
  if (own) closeRead(fd);
}

/** What happened is done, but perhaps not for good (contract 5.5). */
export function notDurable(error: unknown): OperationError {
  const errno = errnoOf(error);
  return new OperationError('not_durable', 'Edit applied but not confirmed durable', {
    data: { ...(errno === undefined ? {} : { errno }), applied: true },
    cause: String(error),
  });
}

/**
 * Change entries of directories and sync these, where that is wanted.
 * @param directories their anchored paths
 * @throws what `change` throws, with nothing changed; OperationError not_durable
 */
export function changeSynced(root: Root, directories: readonly string[], notices: Notice[], change: () => void): void {
  const opened: SyncedDirectory[] = [];
  try {
    for (const directory of new Set(directories)) opened.push(openToSync(root, directory));
    change();
    try {
      for (const directory of opened) syncDirectory(directory, notices);
    } catch (error) {
      throw notDurable(error);
    }
  } finally {
    for (const directory of opened) closeSynced(directory);
  }
}
