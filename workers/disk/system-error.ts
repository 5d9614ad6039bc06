import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';

/** A failed system call as Node, or a native library, reports it. */
export interface SystemError extends Error {
  /** Such as ENOSPC. */
  readonly code: string;
  /** Node only. */
  readonly errno?: number;
}

/** Names of the errors that libuv has none for, such as ESTALE and EDQUOT. */
const names = new Map(Object.entries(constants.errno).map(([name, number]) => [-number, name]));

/** What libuv calls them. */
const nameless = /^Unknown system error (-\d+)$/;

/**
 * Whether `error` comes from a system call and not from a mistake in this program (Node's own: ERR_…).
 * Gives an error that libuv has no name for the one that the system has.
 */
export function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  error.code = nameOf(error.code, error);
  return /^E[A-Z0-9]+$/.test(String(error.code));
}

/** Native code gives the number in the code only; some calls of Node 20, write among them, beside the code UNKNOWN only. */
function nameOf(code: string, error: Error): string {
  if (code === 'UNKNOWN' && 'errno' in error) return names.get(Number(error.errno)) ?? 'EUNKNOWN';
  const [, number] = nameless.exec(code) ?? [];
  return number === undefined ? code : (names.get(Number(number)) ?? `E${number.slice(1)}`);
}

/** The name of a failed system call's error, such as ENOSPC; undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  return isSystemError(error) ? error.code : undefined;
}

const shortages: readonly (string | undefined)[] = ['EMFILE', 'ENFILE', 'ENOMEM'];

/** Whether descriptors or memory ran out, which says nothing about the file or directory that was to be used. */
export function isShortage(error: unknown): boolean {
  return shortages.includes(errnoOf(error));
}

/**
 * The error in words without a path: Node's own message names absolute paths, and none but the working
 * directory's may leave the server (contract 5.5).
 */
export function describe(error: SystemError): string {
  const known = error.errno === undefined ? undefined : getSystemErrorMap().get(error.errno);
  return known === undefined ? error.code : `${error.code}: ${known[1]}`;
}

const transient = new Set(['EINTR', 'EAGAIN', 'ESTALE', 'EBUSY']);
const pauses = [1, 2, 5, 10, 20, 50, 100];
const clock = new Int32Array(new SharedArrayBuffer(4));
const noOthers: ReadonlySet<string> = new Set();

/**
 * Run a system call and repeat it while it fails with an error that passes by itself (contract 6), at most
 * 7 times within 0.2 s; `also` names further codes, such as EPERM of a rename on Windows, which a virus
 * scanner causes for as long as it looks at the file.
 * @param call gets whether it was made before: what was reported as failed may have been done
 * @throws whatever the call throws the last time
 */
export function retrying<Result>(call: (again: boolean) => Result, also = noOthers): Result {
  try {
    return call(false);
  } catch (error) {
    return repeat(call, error, also, pauses);
  }
}

/** What was waited for in vain is not waited for again so soon, in milliseconds. */
const hopelessMs = 1000;
let gaveUp = -Infinity;

/**
 * As `retrying`, for calls of which an operation may make thousands: the list of a thousand files on a lost share would
 * wait for each of them, and its thread with it. After one that was given up they are repeated once, at once.
 */
export function retryingOneOfMany<Result>(call: (again: boolean) => Result): Result {
  try {
    return call(false);
  } catch (error) {
    const hopeless = performance.now() - gaveUp < hopelessMs;
    try {
      return repeat(call, error, noOthers, hopeless ? [0] : pauses);
    } catch (last) {
      if (!hopeless && passes(last, noOthers)) gaveUp = performance.now();
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
  for (const pause of between) {
    if (!passes(last, also)) throw last;
    Atomics.wait(clock, 0, 0, pause);
    try {
      return call(true);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

function passes(error: unknown, also: ReadonlySet<string>): boolean {
  const code = errnoOf(error);
  return code !== undefined && (transient.has(code) || also.has(code));
}
