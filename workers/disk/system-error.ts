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

/** Native code gives the number nowhere else. */
const nameless = /^Unknown system error (-\d+)$/;

/**
 * Whether `error` comes from a system call and not from a mistake in this program (Node's own: ERR_…).
 * Gives an error that libuv calls `Unknown system error -116` the name that the system has for it.
 */
export function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  const number = Number(nameless.exec(error.code)?.[1] ?? 0);
  if (number !== 0) error.code = names.get(number) ?? `E${String(-number)}`;
  return /^E[A-Z0-9]+$/.test(String(error.code));
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

/**
 * Run a system call and repeat it while it fails with an error that passes by itself (contract 6), at most
 * 7 times within 0.2 s; `also` names further codes, such as EPERM of a rename on Windows, which a virus
 * scanner causes for as long as it looks at the file.
 * @throws whatever the call throws the last time
 */
export function retrying<Result>(call: () => Result, also: ReadonlySet<string> = new Set()): Result {
  for (const pause of pauses) {
    try {
      return call();
    } catch (error) {
      const code = errnoOf(error);
      if (code === undefined || !(transient.has(code) || also.has(code))) throw error;
    }
    Atomics.wait(clock, 0, 0, pause);
  }
  return call();
}
