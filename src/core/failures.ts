/** Failures that several modules report, with one wording for each. */
import { failure, type Failure, type FailureData } from './errors.js';
import { reservedName } from './names/reserved-name.js';

/** A bug in this program. @param more.cause for the log */
export function internalError(more: { details?: string; data?: FailureData; cause?: string } = {}): Failure {
  return failure('internal', 'Internal error', more);
}

/** @param timeoutMs what `--timeout` allows, in milliseconds */
export function timedOut(timeoutMs: number): Failure {
  return failure('timed_out', `Operation timed out after ${String(timeoutMs / 1000)}s`);
}

/** For a call whose caller has cancelled it or left. */
export function cancelled(): Failure {
  return failure('cancelled', 'Cancelled');
}

export function shuttingDown(): Failure {
  return failure('shutting_down', 'Server is shutting down');
}

/** @param maxSizeMb `--max-size` */
export function requestTooLarge(maxSizeMb: number): Failure {
  return failure('request_too_large', `Request size exceeds maximum limit ${String(maxSizeMb)}MB`);
}

/**
 * For a read that failed with a system error.
 * @param subject file or path as the caller named it; undefined for the working directory
 * @param reason in words, without a path
 */
export function notRead(
  subject: string | undefined,
  reason: string,
  more: { data: FailureData; cause: string },
): Failure {
  const what = subject === undefined ? 'the working directory' : `'${subject}'`;
  return failure('read_failed', `Failed to read ${what}: ${reason}`, more);
}

/** The message for a write that failed with a system error. @param reason in words, without a path */
export function notWritten(reason: string): string {
  return `Failed to write file atomically: ${reason}`;
}

/** The message for a file that another program has changed since it was read. @param name as the caller knows it */
export function changedByOthers(name: string): string {
  return `File '${name}' was modified concurrently`;
}

/** The message for a path that leads out of the working directory (spec 11). */
export const escapes = 'Path escapes base directory';

/** The message for a path into the reserved directory (spec 15). */
export const reserved = `'${reservedName}' is reserved for the server`;

/** Details for a path that a symbolic link breaks. */
export const linkLeads = {
  nowhere: 'A symbolic link on this path leads to nothing. Use another path or delete the link.',
  back: 'A symbolic link on this path leads back to itself. Use another path.',
} as const;
