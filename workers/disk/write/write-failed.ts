import { OperationError, unknownOutcome } from '../../../src/core/errors.js';
import { notWritten } from '../../../src/core/failures.js';
import { describe, errnoOf, isDenied, type SystemError } from '../system-error.js';

/**
 * The failure of a write that a system call has prevented (spec 5.5).
 * @param more.reason in words, without a path; what the system says, if absent
 * @param more.details what to do next, if that is more than its kind says
 */
export function writeFailed(error: SystemError, more: { reason?: string; details?: string } = {}): OperationError {
  const { reason = describe(error), details } = more;
  const kind = isDenied(error.code) ? 'write_denied' : 'write_failed';
  return new OperationError(kind, notWritten(reason), {
    ...(details === undefined ? {} : { details }),
    data: { errno: error.code },
    cause: error.message,
  });
}

/**
 * The file has changed since it was read, or is not where it was.
 * @param name as the caller knows it
 * @param path the one that is meant, where there may be two
 */
export function modifiedConcurrently(name: string, path?: string): OperationError {
  const data = path === undefined ? {} : { data: { path } };
  return new OperationError('modified_concurrently', `File '${name}' was modified concurrently`, data);
}

/** Nobody can tell whether a change was carried out. @param error that was reported, for the log */
export function outcomeUnknown(error: unknown): OperationError {
  const errno = errnoOf(error);
  return new OperationError('internal', 'Internal error', {
    ...unknownOutcome,
    data: { ...unknownOutcome.data, ...(errno === undefined ? {} : { errno }) },
    cause: `the file system does not say whether it was done: ${error instanceof Error ? (error.stack ?? '') : ''}`,
  });
}
