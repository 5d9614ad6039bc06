import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { OperationError } from '../../src/errors.js';

/** @throws OperationError not_utf8 (contract 4); Node validates with SIMD */
export function assertUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new OperationError('not_utf8', 'File contains invalid UTF-8 encoding');
}

/** @throws OperationError too_many_lines (--max-lines) */
export function assertLineLimit(lines: number, maxLines: number | undefined): void {
  if (maxLines !== undefined && lines > maxLines) {
    throw new OperationError('too_many_lines', `File has ${String(lines)} lines, exceeds maximum ${String(maxLines)}`);
  }
}

export function fileNotFound(name: string): OperationError {
  return new OperationError('not_found', `File '${name}' not found`);
}

/**
 * The hash of a text (contract 5.4): 128 bits of its SHA-256, so that nobody can make a text that passes for
 * another one.
 */
export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}
