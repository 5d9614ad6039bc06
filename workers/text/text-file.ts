import { isUtf8 } from 'node:buffer';
import { OperationError } from '../../src/core/errors.js';
import { Chunks, sourceOf } from './chunks.js';
import { beginHash, hashChunk, hashOfText } from './kernel.js';
import { notUtf8 } from './lines/scan.js';
import type { Text } from './scattered-text.js';

/** @throws OperationError not_utf8 (spec 4); Node validates with SIMD */
export function assertUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw notUtf8();
}

/** @throws OperationError too_many_lines (--max-lines) */
export function assertLineLimit(lines: number, maxLines: number | undefined, more: { details?: string } = {}): void {
  if (maxLines === undefined || lines <= maxLines) return;
  const message = `File has ${String(lines)} lines, exceeds maximum ${String(maxLines)}`;
  throw new OperationError('too_many_lines', message, more);
}

/** As assertLineLimit, for a text about to be written. */
export function assertResultLines(lines: number, maxLines: number | undefined): void {
  const details =
    'Nothing was written: the new text has more lines than a file may have. Write fewer, or ask for the server to be restarted with a larger --max-lines.';
  assertLineLimit(lines, maxLines, { details });
}

/**
 * The hash of a text (spec 5.4): XXH3 with 64 bits, 0.05 ms for 1 MB. Two versions collide by chance once in 2^64
 * cases. It does not protect against an author who constructs two texts with the same hash: that is possible, but gains
 * them no more than having their own edit applied to their other text.
 */
export function hashOf(text: Text): string {
  const chunks = new Chunks(sourceOf(text));
  beginHash();
  while (chunks.next()) hashChunk(chunks.length);
  return hashOfText(chunks.length);
}
