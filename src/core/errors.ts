/**
 * The outcome of a request as plain data. Failures cross the thread border in this form, since a thrown Error loses its
 * class and fields there.
 */
import { errorKinds, type ErrorKindName } from './error-kinds.js';
import type { FileIdentity } from './file-identity.js';
import { reasons, type Reason } from './reasons.js';
import type { LineBase } from './schemas/members.js';
import { systemAdvice } from './system-advice.js';

export { errorKindNames, errorKinds, type ErrorKindName } from './error-kinds.js';
export type { Reason } from './reasons.js';
export type { LineBase } from './schemas/members.js';

/** JSON-RPC error code of all failures that are about files (spec 5.5). */
const fileSystemCode = -32001;

/** JSON-RPC error code of a failure. */
export function codeOf({ kind, data }: Failure): number {
  const { code = fileSystemCode } = data?.reason === undefined ? errorKinds[kind] : reasons[data.reason];
  return code;
}

/** HTTP status of a failure. */
export function statusOf({ kind, data }: Failure): number {
  // A conflict with the expected version is a failed precondition (spec 5.4).
  if (data?.reason === undefined || kind === 'changed') return errorKinds[kind].status;
  return reasons[data.reason].status;
}

/** Members of `data` beyond filename, operation, timestamp and details. */
export interface FailureData {
  /** System error name such as ENOSPC. */
  errno?: string;
  /** Set only if the file may have changed although the request failed. */
  applied?: true | 'unknown';
  /** Hash of the current text if an expected one did not match. */
  current_hash?: string;
  /** Only for the storage and edits tools: what went wrong. */
  reason?: Reason;
  /** The path it went wrong with, as the caller wrote it. */
  path?: string;
}

/** A failed request: what crosses threads and what every front renders. */
export interface Failure {
  readonly ok: false;
  readonly kind: ErrorKindName;
  readonly message: string;
  /** A sentence that tells an agent what to do next. */
  readonly details: string;
  readonly data?: FailureData;
  /** The parameters that it complains about, if it is about any. */
  readonly parameters?: readonly string[];
  /** Only for the log; it never leaves the server: what the system said, or the stack of a bug in this program. */
  readonly cause?: string;
  readonly notices?: readonly Notice[];
}

/** Of a change of which nobody knows whether it was made (spec 5.5). */
export const unknownOutcome = {
  data: { applied: 'unknown' },
  details: 'It may or may not have been done: look at what is there before repeating anything.',
} as const;

/** Something worth a line in the log that did not make the request fail, such as a lock that could not be released. */
export interface Notice {
  readonly message: string;
  readonly errno?: string;
}

/** What only a model is told, beside the result that all callers get (spec 11). */
export interface ForModel {
  /** Of a change: where the new text is, as `line 12`, `lines 12-14` or `lines 3, 9, 42`. */
  readonly place?: string;
  /** Of a change: each a line of its own. */
  readonly remarks?: readonly string[];
  /** Of a text: how many lines it has as a whole. */
  readonly totalLines?: number;
  /** Of a directory: for each entry its size in bytes if it is a file, or one of entryKinds. */
  readonly kinds?: Float64Array;
  /** Of a directory: how many entries are hidden. */
  readonly hidden?: number;
}

/**
 * A request that succeeded. Members of `result` that are a Uint8Array hold JSON as bytes: large texts and lists are
 * encoded where they are read and never become JavaScript values on their way out.
 */
export interface Success {
  readonly ok: true;
  readonly result: Readonly<Record<string, unknown>>;
  /**
   * The whole result as JSON bytes, if a worker has made it; `result` then only has the members that are wanted
   * separately.
   */
  readonly json?: Uint8Array;
  /** Hash of the text that was read or written (spec 5.4). */
  readonly hash?: string;
  /**
   * Identity of the file that was read: the answer holds for as long as an lstat of its name finds the same one. Absent
   * if the file was read through a link, or if its time stamps could not be trusted.
   */
  readonly identity?: FileIdentity;
  readonly forModel?: ForModel;
  readonly notices?: readonly Notice[];
}

/** What an entry of a directory is if it is no file; `other`: a device, or a link that leads to nothing inside. */
export const entryKinds = { directory: -1, other: -2 } as const;

export type Outcome = Success | Failure;

/** Make a failure; `details` defaults to the advice for its kind, or for its system error. */
export function failure(
  kind: ErrorKindName,
  message: string,
  more: { details?: string; data?: FailureData; parameters?: readonly string[]; cause?: string } = {},
): Failure {
  return {
    ok: false,
    kind,
    message,
    details: more.details ?? systemAdvice(kind, more.data?.errno) ?? errorKinds[kind].advice,
    ...(more.data === undefined ? {} : { data: more.data }),
    ...(more.parameters === undefined ? {} : { parameters: more.parameters }),
    ...(more.cause === undefined ? {} : { cause: more.cause }),
  };
}

/** A text that may name lines: `shown` turns the number of a line into the number that its reader uses. */
type LineText = string | ((shown: (line: number) => number) => string);

interface Explanation {
  readonly details?: LineText;
  readonly data?: FailureData;
  readonly cause?: string;
}

/** Thrown anywhere below a front or inside a worker; becomes its failure where the call was begun. */
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

  /** For callers who count lines from 1. */
  get failure(): Failure {
    return this.failureFrom(1);
  }

  /** For callers whose first line is `lineBase`. */
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
