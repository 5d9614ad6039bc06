/** Writes the bytes of a new version, and sets its modification time. */
import type { BigIntStats } from 'node:fs';
import { OperationError, type Notice } from '../../../src/core/errors.js';
import { portionsOf, type Text } from '../../text/scattered-text.js';
import { fstat, futimes, write } from '../calls.js';
import { isSystemError, noticeOf } from '../system-error.js';

export interface Written {
  /** Taken after the last write. */
  readonly stats: BigIntStats;
  /** In performance.now() time: kernels stamp a file when a write begins. */
  readonly lastWriteBegan: number;
}

/**
 * Write all of a text and check the file's size: on a full disk write(2) returns a short count, which Node does not
 * report. Each write continues at the file position of the last one, so a write that reports more than it wrote shows
 * in the size.
 * @param fd of an empty file
 * @throws OperationError write_failed if it is too short; the system error
 */
export function writeWhole(fd: number, text: Text): Written {
  let lastWriteBegan = performance.now();
  let whole = 0;
  for (const piece of portionsOf(text)) {
    for (let written = 0; written < piece.length;) {
      lastWriteBegan = performance.now();
      const count = write(fd, piece, written);
      if (count === 0) throw shortWrite(whole + written, text.length);
      written += count;
    }
    whole += piece.length;
  }
  const stats = fstat(fd);
  if (Number(stats.size) !== text.length) throw shortWrite(Number(stats.size), text.length);
  return { stats, lastWriteBegan };
}

function shortWrite(written: number, expected: number): OperationError {
  return new OperationError(
    'write_failed',
    `Failed to write file atomically: only ${String(written)} of ${String(expected)} bytes reached the disk`,
    { data: { errno: 'ENOSPC' } },
  );
}

const nsPerS = 1e9;

/**
 * A rename keeps the time of the last write, which may be long ago: 5 to 40 ms for a sync. To make, and to every tool
 * that compares times, the new version would look older than files built from the old one in that time (a source of 9
 * MB edited while make ran stayed "up to date" permanently in 12 of 60 runs). The time comes from the file system's
 * clock, which may be another machine's: its own stamp, plus the time elapsed since.
 *
 * Set even if hardly any time has passed: it then differs from the time of the rename, which shows the next edit that
 * no program is still writing this file (commit/other-writers.ts).
 */
export function renewTime(fd: number, { stats, lastWriteBegan }: Written, notices: Notice[]): void {
  try {
    futimes(fd, Number(stats.mtimeNs) / nsPerS + (performance.now() - lastWriteBegan) / 1000);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    notices.push(noticeOf('The time of a file could not be set', error));
  }
}
