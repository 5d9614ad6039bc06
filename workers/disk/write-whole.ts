import type { BigIntStats } from 'node:fs';
import { OperationError } from '../../src/errors.js';
import { portionsOf, type Text } from '../text/scattered-text.js';
import { fstat, write } from './calls.js';

export interface Written {
  /** From behind the last write. */
  readonly stats: BigIntStats;
  /** As performance.now() counts. */
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
