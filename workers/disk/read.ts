import { constants } from 'node:os';
import { OperationError } from '../../src/core/errors.js';
import { bytesPerMb } from '../../src/core/memory/held.js';
import { read } from './calls.js';
import { textMemory } from '../text/text-memory.js';
import type { OpenFile } from './paths/open-file.js';

/** `File size 11MB exceeds maximum limit 10MB`: at most one decimal, rounded up, so 10 MB + 1 byte is 10.1. */
export function tooLarge(size: number, limit: number, more: { details?: string } = {}): OperationError {
  const rounded = Math.ceil((size / bytesPerMb) * 10) / 10;
  const message = `File size ${String(rounded)}MB exceeds maximum limit ${String(limit / bytesPerMb)}MB`;
  return new OperationError('too_large', message, more);
}

/** For a text about to be written. */
export function resultTooLarge(size: number, limit: number): OperationError {
  const details =
    'Nothing was written: the new text is larger than a file may be. Write less, or ask for the server to be restarted with a larger --max-size.';
  return tooLarge(size, limit, { details });
}

/**
 * All bytes of an open file. Reads up to the size from fstat: comparing the stats afterwards reveals whether the file
 * has grown (readStanding). Files such as those of /proc have a size of 0, and are read to their end.
 * @param limit in bytes; at most one byte more is read
 * @throws OperationError too_large
 */
export function readAll(file: Pick<OpenFile, 'fd' | 'stats'>, limit: number): Buffer {
  const expected = Number(file.stats.size);
  if (expected > limit) throw tooLarge(expected, limit);
  let bytes = expected === 0 ? Buffer.allocUnsafeSlow(1) : textMemory.take(expected);
  let length = 0;
  for (;;) {
    const got = read(file.fd, bytes, length, bytes.length - length, length);
    length += got;
    if (got === 0 || length === expected) return bytes.subarray(0, length);
    if (length > limit) throw tooLarge(length, limit);
    if (length === bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(length * 2, 65_536), limit + 1));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
  }
}

/**
 * A file that ends before its size, as on network file systems, must not be taken as complete: an agent would write it
 * back truncated. Files of /proc have no size.
 * @param length number of bytes read
 * @throws a system error
 */
export function assertWhole(length: number, size: number): void {
  if (size === 0 || length >= size) return;
  const message = `EIO: the file ended after ${String(length)} of ${String(size)} bytes, read`;
  throw Object.assign(new Error(message), { code: 'EIO', errno: -constants.errno.EIO, syscall: 'read' });
}

/**
 * Reads an open file piecewise: fills a buffer from a position in the file and returns the number of bytes. Bytes
 * beyond the known size were added later, which comparing the stats afterwards reveals; but files such as those of
 * /proc have a size of 0.
 * @param limit in bytes
 * @throws OperationError too_large, only for a file without a size; the system error if it ends before its size
 */
export function fileSource(fd: number, size: number, limit: number): (target: Buffer, position: number) => number {
  return (target, position) => {
    const wanted = size === 0 ? target.length : Math.min(target.length, size - position);
    let length = 0;
    while (length < wanted) {
      const got = read(fd, target, length, wanted - length, position + length);
      if (got === 0) break;
      length += got;
    }
    if (length < wanted) assertWhole(position + length, size);
    if (position + length > limit) throw tooLarge(position + length, limit);
    return length;
  };
}
