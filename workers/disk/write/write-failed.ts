import { OperationError, unknownOutcome } from '../../../src/core/errors.js';
import { changedByOthers, notWritten } from '../../../src/core/failures.js';
import { describe, errnoOf, isDenied, type SystemError } from '../system-error.js';
import { closeElsewhere } from '../../../src/core/system-advice.js';

/**
 * The failure of a write because of a system call (spec 5.5).
 * @param more.reason in words, without a path; the system's description if absent
 * @param more.details what to do next, if there is more to say than for its kind
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

/** Another program has the file open, and did not close it in time (spec 19). */
export function heldOpen(error: SystemError): OperationError {
  return new OperationError('write_failed', notWritten(`another program has it open (${error.code})`), {
    details: closeElsewhere,
    data: { errno: error.code },
    cause: error.message,
  });
}

/**
 * The file has changed since it was read, or is no longer in its place.
 * @param name as the caller knows it
 * @param path the path concerned, if the call has two
 */
export function modifiedConcurrently(name: string, path?: string): OperationError {
  const data = path === undefined ? {} : { data: { path } };
  return new OperationError('modified_concurrently', changedByOthers(name), data);
}

/** The outcome of a change is unknown. @param error that was reported, for the log */
export function outcomeUnknown(error: unknown): OperationError {
  const errno = errnoOf(error);
  return new OperationError('internal', 'Internal error', {
    ...unknownOutcome,
    data: { ...unknownOutcome.data, ...(errno === undefined ? {} : { errno }) },
    cause: `the file system does not say whether it was done: ${error instanceof Error ? (error.stack ?? '') : ''}`,
  });
}
