import { closeSync } from 'node:fs';
import type { Notice } from '../../src/core/errors.js';
import { closeMeanwhile } from '../../src/core/thread/closing.js';
import { fstat } from './calls.js';
import { isSystemError, noticeOf, orUndefined, type SystemError } from './system-error.js';

/**
 * Close a descriptor used only for reading or walking. A file system error here is not a failure: nothing was written
 * through the descriptor, and the system releases it in any case. If it were thrown, a completed write would count as
 * failed, or the thread would end.
 */
export function closeRead(fd: number): void {
  tryToClose(fd);
}

/**
 * As closeRead, once the answer is on its way. A replaced file is freed with its last descriptor. On ext4 that takes
 * 0.2 ms for 1 KB, longer than the write for 1 MB, and longer still during a journal commit, so a libuv thread does it
 * (64 files, 32 clients, 2 cores: 25 % more edits per second; one client appending to one file waits 15 % less, as its
 * next edit would wait for the close).
 */
export function closeLater(fd: number): void {
  const stats = orUndefined(() => fstat(fd));
  if (stats?.nlink === 0n && closeMeanwhile(fd, stats, (error) => error === null || tolerate(error))) return;
  if (waiting.push(fd) === 1) setImmediate(closeWaiting);
  // A library caller that awaits one edit after another may never yield to the event loop: 236 dry runs used up 256
  // descriptors.
  if (waiting.length === mostWaiting) closeWaiting();
}

/** As closeRead, including everything closeLater has deferred: afterwards this thread has none of those files open. */
export function closeWithOthers(fd: number): void {
  closeWaiting();
  closeRead(fd);
}

/** Descriptors to close on the next turn of the event loop, or when there are `mostWaiting` of them. */
const waiting: number[] = [];
const mostWaiting = 64;

function closeWaiting(): void {
  for (const fd of waiting.splice(0)) closeRead(fd);
}

/** Close a written file. Its fsync has already reported whether it is on disk. */
export function closeQuietly(fd: number, notices: Notice[]): void {
  const error = tryToClose(fd);
  if (error === undefined) return;
  notices.push(noticeOf('A file could not be closed', error));
}

function tryToClose(fd: number): SystemError | undefined {
  try {
    closeSync(fd);
    return undefined;
  } catch (error) {
    return tolerate(error);
  }
}

/** @throws EBADF: a bug closed the descriptor earlier, and another thread may own the number by now */
function tolerate(error: unknown): SystemError | undefined {
  if (!isSystemError(error) || error.code === 'EBADF') throw error;
  return error;
}
