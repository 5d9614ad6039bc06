/**
 * What becomes of a request, as plain data: failures cross the thread border as such, since a thrown Error loses its class
 * and fields there.
 */
import { errorKinds, reasons, type ErrorKindName, type Reason } from './error-kinds.js';
import type { FileIdentity } from './file-identity.js';
import { systemAdvice } from './system-advice.js';

export { errorKinds, type ErrorKind, type ErrorKindName, type Reason } from './error-kinds.js';

/** JSON-RPC error code of a failure. */
export function codeOf({ kind, data }: Failure): number {
  return data?.reason === undefined ? errorKinds[kind].code : reasons[data.reason].code;
}

/** HTTP status of a failure. */
export function statusOf({ kind, data }: Failure): number {
  // A conflict with the expected version is a failed precondition (CONTRACT.md 5.4).
  if (data?.reason === undefined || kind === 'changed') return errorKinds[kind].status;
  return reasons[data.reason].status;
}

/** Members of `data` beyond filename, operation, timestamp and details. */
export interface FailureData {
  /** System error name such as ENOSPC. */
  errno?: string;
  /** Set only where the file may have changed although the request failed. */
  applied?: true | 'unknown';
  /** Hash of the current text where an expected one did not match. */
  current_hash?: string;
  /** Of the storage and edits tools, and only there: what went wrong. */
  reason?: Reason;
  /** And with which path, as the caller wrote it. */
  path?: string;
}

/** A failed request as plain data: what crosses threads and what every front renders. */
export interface Failure {
  readonly ok: false;
  readonly kind: ErrorKindName;
  readonly message: string;
  /** A sentence that tells an agent what to do next. */
  readonly details: string;
  readonly data?: FailureData;
  /** For the log only: never leaves the server. */
  readonly cause?: string;
  readonly notices?: readonly Notice[];
}

/** Something worth a log line that did not fail the request, such as a lock that could not be released. */
export interface Notice {
  readonly message: string;
  readonly errno?: string;
}

/**
 * A request that succeeded. Members of `result` that are a Uint8Array hold ready JSON bytes: large texts
 * and lists are encoded where they are read and never become a JavaScript value on the way out.
 */
export interface Success {
  readonly ok: true;
  readonly result: Readonly<Record<string, unknown>>;
  /** The whole result as ready JSON bytes, where a worker has put it together; `result` is then what may be wanted of it apart. */
  readonly json?: Uint8Array;
  /** Hash of the text that was read or written (CONTRACT.md 5.4). */
  readonly hash?: string;
  /**
   * The file that was read, if a later lstat of its name that finds the same identity proves that the answer still
   * holds. Absent if it was read through a link, or if its time stamps could not be trusted.
   */
  readonly identity?: FileIdentity;
  readonly notices?: readonly Notice[];
  /** To be called once, if at all, when nobody will look at `json` and `result` again: their memory is used for another answer. */
  readonly release?: (() => void) | undefined;
}

export type Outcome = Success | Failure;

/** Build a failure; `details` defaults to the advice of its kind, or of its system error. */
export function failure(
  kind: ErrorKindName,
  message: string,
  more: { details?: string; data?: FailureData; cause?: string } = {},
): Failure {
  return {
    ok: false,
    kind,
    message,
    details: more.details ?? systemAdvice(kind, more.data?.errno) ?? errorKinds[kind].advice,
    ...(more.data === undefined ? {} : { data: more.data }),
    ...(more.cause === undefined ? {} : { cause: more.cause }),
  };
}

/** The number that a caller gives to the first line. All code counts from 1, but for what a caller sends and reads. */
export type LineBase = 0 | 1;

/** A text that may name lines: `shown` turns the number of a line into what its reader calls it. */
type LineText = string | ((shown: (line: number) => number) => string);

interface Explanation {
  readonly details?: LineText;
  readonly data?: FailureData;
  readonly cause?: string;
}

/** Thrown anywhere below a front or inside a worker; it becomes its failure where the call was begun. */
export class OperationError extends Error {
  readonly #message: LineText;
  readonly #more: Explanation;

  constructor(
    readonly kind: ErrorKindName,
    message: LineText,
    more: Explanation = {},
  ) {
    super(inLines(message, 1));
    this.name = 'OperationError';
    this.#message = message;
    this.#more = more;
  }

  /** As those see it who count lines from 1. */
  get failure(): Failure {
    return this.failureFrom(1);
  }

  /** As a caller sees it whose first line is `lineBase`. */
  failureFrom(lineBase: LineBase): Failure {
    const { details, ...more } = this.#more;
    return failure(this.kind, inLines(this.#message, lineBase), {
      ...more,
      ...(details === undefined ? {} : { details: inLines(details, lineBase) }),
    });
  }
}

/** The text for readers whose first line is `lineBase`. */
function inLines(text: LineText, lineBase: LineBase): string {
  return typeof text === 'string' ? text : text((line) => line - 1 + lineBase);
}
