import type { BigIntStats } from 'node:fs';
import { OperationError } from '../../src/errors.js';
import { fstat, write } from './calls.js';

export interface Written {
  /** From behind the last write. */
  readonly stats: BigIntStats;
  /** As performance.now() counts. */
  readonly lastWriteBegan: number;
}

/**
 * Write all bytes and check their number: on a full disk write(2) returns a short count, which Node does not report.
 * Each write goes to where the last one ended, so that one that claims more than it did shows in the size.
 * @param fd of an empty file
 * @throws OperationError write_failed if it is too short; the system error
 */
export function writeWhole(fd: number, bytes: Buffer): Written {
  let lastWriteBegan = performance.now();
  for (let written = 0; written < bytes.length;) {
    lastWriteBegan = performance.now();
    const count = write(fd, bytes, written);
    if (count === 0) throw shortWrite(written, bytes.length);
    written += count;
  }
  const stats = fstat(fd);
  if (Number(stats.size) !== bytes.length) throw shortWrite(Number(stats.size), bytes.length);
  return { stats, lastWriteBegan };
}

function shortWrite(written: number, expected: number): OperationError {
  return new OperationError(
    'write_failed',
    `Failed to write file atomically: only ${String(written)} of ${String(expected)} bytes reached the disk`,
    { data: { errno: 'ENOSPC' } },
  );
}
