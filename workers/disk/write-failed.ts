import { OperationError } from '../../src/errors.js';
import { describe, type SystemError } from './system-error.js';

/**
 * The failure of a write that a system call has prevented (contract 5.5).
 * @param reason in words, without a path
 */
export function writeFailed(error: SystemError, reason = describe(error)): OperationError {
  const kind = error.code === 'EACCES' || error.code === 'EPERM' ? 'write_denied' : 'write_failed';
  return new OperationError(kind, `Failed to write file atomically: ${reason}`, {
    data: { errno: error.code },
    cause: error.stack ?? '',
  });
}
