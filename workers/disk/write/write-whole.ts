/** The bytes of a new version, and when it says that it was written. */
import type { BigIntStats } from 'node:fs';
import { OperationError, type Notice } from '../../../src/core/errors.js';
import { portionsOf, type Text } from '../../text/scattered-text.js';
import { fstat, futimes, write } from '../calls.js';
import { isSystemError, noticeOf } from '../system-error.js';

export interface Written {
  /** From behind the last write. */
  readonly stats: BigIntStats;
  /** As performance.now() counts: kernels stamp a file when a write begins. */
  readonly lastWriteBegan: number;
}

/**
 * Write all of a text and check how many bytes there are: on a full disk write(2) returns a short count, which Node does
 * not report. Each write goes to where the last one ended, so that one that claims more than it did shows in the size.
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
 * A rename leaves the time of the last write as it is, which may be long ago: for a sync, 5 to 40 ms. To make, and to
 * all who compare times, the new version would be older than what others have made of the old one meanwhile (a source
 * of 9 MB that was edited while make ran was "up to date" for good in 12 of 60 runs). The time is told by the clock of
 * the file system, which may be that of another machine: its own stamp, and what has passed since.
 *
 * Set even if next to nothing has passed: it then differs from the time of the rename, which tells the next edit that
 * nobody is in the middle of writing this file (commit/unfinished.ts).
 */
export function renewTime(fd: number, { stats, lastWriteBegan }: Written, notices: Notice[]): void {
  try {
    futimes(fd, Number(stats.mtimeNs) / nsPerS + (performance.now() - lastWriteBegan) / 1000);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    notices.push(noticeOf('The time of a file could not be set', error));
  }
}
