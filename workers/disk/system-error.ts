import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';

/** A failed system call as Node, or a native library, reports it. */
export interface SystemError extends Error {
  /** Such as ENOSPC. */
  readonly code: string;
  /** Node only. */
  readonly errno?: number;
}

/** Names of errors for which libuv has none, such as ESTALE and EDQUOT. */
const names = new Map(Object.entries(constants.errno).map(([name, number]) => [-number, name]));

/** How libuv reports those. */
const nameless = /^Unknown system error (-\d+)$/;

/**
 * Whether `error` comes from a system call rather than from a mistake in this program (Node's own: ERR_…). An error for
 * which libuv has no name is given the system's name.
 */
export function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  error.code = nameOf(error.code, error);
  return /^E[A-Z0-9]+$/.test(String(error.code));
}

/**
 * Native code puts the number into the code; some calls of Node 20, write among them, set the code UNKNOWN beside it.
 */
function nameOf(code: string, error: Error): string {
  if (code === 'UNKNOWN' && 'errno' in error) return names.get(Number(error.errno)) ?? 'EUNKNOWN';
  const [, number] = nameless.exec(code) ?? [];
  return number === undefined ? code : (names.get(Number(number)) ?? `E${number.slice(1)}`);
}

/** The name of a failed system call's error, such as ENOSPC; undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  return isSystemError(error) ? error.code : undefined;
}

/** Whether this process has no right to what it asked for. */
export function isDenied(errno: string | undefined): errno is 'EACCES' | 'EPERM' {
  return errno === 'EACCES' || errno === 'EPERM';
}

/** Whether a disk is full, or a user's quota. */
export function isFull(errno: string | undefined): boolean {
  return errno === 'ENOSPC' || errno === 'EDQUOT';
}

const shortages: readonly (string | undefined)[] = ['EMFILE', 'ENFILE', 'ENOMEM'];

/** Whether descriptors or memory ran out, which says nothing about the file or directory in question. */
export function isShortage(error: unknown): boolean {
  return shortages.includes(errnoOf(error));
}

const faults: readonly (string | undefined)[] = ['EIO', 'ENOSPC', 'EDQUOT', 'EROFS', ...shortages];

/** Whether the system could not do at this moment what it would otherwise do, as opposed to a refusal. */
export function isFault(error: unknown): boolean {
  return faults.includes(errnoOf(error));
}

/** What file systems say of what they do not have. */
export const unsupported: ReadonlySet<string> = new Set(['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/**
 * The error in words, without a path: Node's own message names absolute paths, and only the working directory's may
 * leave the server (spec 5.5).
 */
export function describe(error: SystemError): string {
  const known = error.errno === undefined ? undefined : getSystemErrorMap().get(error.errno);
  return known === undefined ? error.code : `${error.code}: ${known[1]}`;
}

/** On Windows, a file cannot be replaced, renamed or deleted for as long as a virus scanner looks at it. */
export const scannerErrors: ReadonlySet<string> = new Set(process.platform === 'win32' ? ['EPERM', 'EACCES'] : []);

const transient = new Set(['EINTR', 'EAGAIN', 'ESTALE', 'EBUSY']);
const pauses = [1, 2, 5, 10, 20, 50, 100];
const clock = new Int32Array(new SharedArrayBuffer(4));
const noOthers: ReadonlySet<string> = new Set();

/**
 * Make a system call and repeat it while it fails with a transient error (spec 6), at most 7 times within 0.2 s.
 * `also` names further codes, such as EPERM of a rename on Windows, which lasts for as long as a virus scanner looks at
 * the file.
 * @param call is told whether this is a repetition: an attempt that was reported as failed may have been carried out
 * @throws whatever the last attempt throws
 */
export function retrying<Result>(call: (again: boolean) => Result, also = noOthers): Result {
  try {
    return call(false);
  } catch (error) {
    return repeat(call, error, also, pauses);
  }
}

/** For so many milliseconds after a call was given up, others are given up after one repetition without a pause. */
const hopelessMs = 1000;
let gaveUp = -Infinity;

/**
 * As `retrying`, for calls of which one operation may make thousands: otherwise the list of a thousand files on a lost
 * share would wait for each of them, and so would its thread.
 */
export function retryingOneOfMany<Result>(call: (again: boolean) => Result): Result {
  try {
    return call(false);
  } catch (error) {
    const hopeless = performance.now() - gaveUp < hopelessMs;
    try {
      return repeat(call, error, noOthers, hopeless ? [0] : pauses);
    } catch (last) {
      if (!hopeless && isTransient(last)) gaveUp = performance.now();
      throw last;
    }
  }
}

function repeat<Result>(
  call: (again: boolean) => Result,
  first: unknown,
  also: ReadonlySet<string>,
  between: readonly number[],
): Result {
  let last = first;
  for (const ms of between) {
    if (!passes(last, also)) throw last;
    pause(ms);
    try {
      return call(true);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/** Wait without doing anything else. @param ms milliseconds */
export function pause(ms: number): void {
  Atomics.wait(clock, 0, 0, ms);
}

/** Whether it may be different a moment later. */
export function isTransient(error: unknown): boolean {
  return passes(error, noOthers);
}

function passes(error: unknown, also: ReadonlySet<string>): boolean {
  const code = errnoOf(error);
  return code !== undefined && (transient.has(code) || also.has(code));
}
