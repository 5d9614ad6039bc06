import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { OperationError, type Notice } from '../../src/core/errors.js';
import { isDenied, isDiskFull } from '../../src/core/error-code.js';
import { platform } from '../../src/core/platform.js';

/** A failed system call, as reported by Node or a native library. */
export interface SystemError extends Error {
  /** Such as ENOSPC. */
  readonly code: string;
  /** Node only. */
  readonly errno?: number;
}

/** Names of errors for which libuv has none, such as ESTALE and EDQUOT. */
const names = new Map(Object.entries(constants.errno).map(([name, number]) => [-number, name]));

/** The form in which libuv reports those. */
const nameless = /^Unknown system error (-\d+)$/;

/**
 * Whether `error` comes from a system call rather than a bug in this program (Node's own errors: ERR_…). Errors that
 * libuv cannot name get the system's name.
 */
export function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  error.code = nameOf(error.code, error);
  return /^E[A-Z0-9]+$/.test(String(error.code));
}

/** Native code puts the number into the code; some calls of Node 20, such as write, set the code to UNKNOWN. */
function nameOf(code: string, error: Error): string {
  if (code === 'UNKNOWN' && 'errno' in error) return names.get(Number(error.errno)) ?? 'EUNKNOWN';
  const [, number] = nameless.exec(code) ?? [];
  return number === undefined ? code : (names.get(Number(number)) ?? `E${number.slice(1)}`);
}

/** The name of a failed system call's error, such as ENOSPC; undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  return isSystemError(error) ? error.code : undefined;
}

/*
 * Meanings that hold for every call. An error with a meaning specific to one call is handled at that call.
 */
export { isDenied, isDiskFull };

/** Descriptors or memory ran out, which says nothing about the file or directory itself. */
export const isShortage = oneOf('EMFILE', 'ENFILE', 'ENOMEM');

/** A temporary inability of the system, as opposed to a refusal. */
export const isFault = oneOf('EIO', 'ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM');

/** The file system lacks the feature. */
export const isUnsupported = oneOf('ENOSYS', 'ENOTSUP', 'EOPNOTSUPP');

/** link(2) is refused where there are no hard links (FAT, some network mounts), or if the file has too many. */
export const cannotLink = oneOf('EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK');

/** An open found no regular file: nothing, a link, a directory, a socket or a device. */
export const isNoFile = oneOf('ENOENT', 'ELOOP', 'EISDIR', 'ENXIO', 'ENODEV');

/** Something opened or resolved by its path is gone, or has been replaced. */
export const isVanished = oneOf('ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENAMETOOLONG', 'EINVAL');

/**
 * Another program has the file open. On Windows this lasts longer than a thread may be blocked: workers/let-go.ts waits
 * for it.
 */
const isHeld = platform.openFilesAreHeld ? oneOf('EBUSY') : oneOf();

/** May succeed a moment later: the call is retried (spec 6). */
export const isTransient = oneOf('EINTR', 'EAGAIN', 'ESTALE', ...(platform.openFilesAreHeld ? [] : ['EBUSY']));

/** Directories cannot be synced; the documented promise is weaker there (spec 6). */
export const isUnsyncable = oneOf('EINVAL', 'ENOTSUP', 'EISDIR');

/** Whether a rename, link or unlink failed since another program has the file open: the system may also deny it. */
export function isHeldOpen(error: unknown): boolean {
  const errno = errnoOf(error);
  return isHeld(errno) || (platform.openFilesAreHeld && isDenied(errno));
}

/** Whether a file could not be opened since another program keeps it to itself. */
export function isKeptClosed(error: unknown): boolean {
  return isHeld(error instanceof OperationError ? error.failure.data?.errno : errnoOf(error));
}

function oneOf(...names: readonly string[]): (errno: string | undefined) => boolean {
  const all = new Set<string | undefined>(names);
  return (errno) => all.has(errno);
}

/**
 * The error in words, without a path: Node's own message names absolute paths, and only the working directory's may
 * leave the server (spec 5.5).
 */
export function describe(error: SystemError): string {
  if (isHeld(error.code)) return `another program has it open (${error.code})`;
  const known = error.errno === undefined ? undefined : getSystemErrorMap().get(error.errno);
  return known === undefined ? error.code : `${error.code}: ${known[1]}`;
}

/** The notice of a failed call that does not end the operation. @param what went wrong, in words */
export function noticeOf(what: string, error: SystemError): Notice {
  return { message: `${what}: ${describe(error)}`, errno: error.code };
}

/** Undefined if the system does not say. */
export function orUndefined<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}

const pauses = [1, 2, 5, 10, 20, 50, 100];
const clock = new Int32Array(new SharedArrayBuffer(4));

/**
 * Make a system call and retry it while it fails with a transient error (spec 6), at most 7 times within 0.2 s.
 * @param call receives whether this is a retry: an attempt reported as failed may have succeeded
 * @throws the error of the last attempt
 */
export function retrying<Result>(call: (again: boolean) => Result): Result {
  try {
    return call(false);
  } catch (error) {
    return repeat(call, error, pauses);
  }
}

/** For this many milliseconds after a call was given up, others get one retry without a pause. */
const hopelessMs = 1000;
let gaveUp = -Infinity;

/**
 * As `retrying`, for calls that one operation may make by the thousand: otherwise listing a thousand files on a lost
 * share would wait for each file, and block its thread.
 */
export function retryingOneOfMany<Result>(call: (again: boolean) => Result): Result {
  try {
    return call(false);
  } catch (error) {
    const hopeless = performance.now() - gaveUp < hopelessMs;
    try {
      return repeat(call, error, hopeless ? [0] : pauses);
    } catch (last) {
      if (!hopeless && isTransient(errnoOf(last))) gaveUp = performance.now();
      throw last;
    }
  }
}

function repeat<Result>(call: (again: boolean) => Result, first: unknown, between: readonly number[]): Result {
  let last = first;
  for (const ms of between) {
    if (!isTransient(errnoOf(last))) throw last;
    pause(ms);
    try {
      return call(true);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/** Block the thread. @param ms milliseconds */
export function pause(ms: number): void {
  Atomics.wait(clock, 0, 0, ms);
}
