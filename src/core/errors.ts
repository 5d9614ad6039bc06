/**
 * The outcome of a request as plain data. Failures cross threads in this form: a thrown Error would lose its class and
 * fields.
 */
import { errorKinds, type ErrorKindName } from './error-kinds.js';
import type { FileIdentity } from './file-identity.js';
import { reasons, type Reason } from './reasons.js';
import type { LineBase } from './schemas/members.js';
import { systemAdvice } from './system-advice.js';
import type { LeftOut, SearchedPart } from './search-part.js';

export { errorKindNames, errorKinds, type ErrorKindName } from './error-kinds.js';
export type { Reason } from './reasons.js';
export type { LineBase } from './schemas/members.js';

/** JSON-RPC error code shared by all failures about files (spec 5.5). */
const fileSystemCode = -32001;

/** JSON-RPC error code of a failure. */
export function codeOf({ kind, data }: Failure): number {
  const { code = fileSystemCode } = data?.reason === undefined ? errorKinds[kind] : reasons[data.reason];
  return code;
}

/** HTTP status of a failure. */
export function statusOf({ kind, data }: Failure): number {
  // A version conflict is a failed precondition (spec 5.4).
  if (data?.reason === undefined || kind === 'changed') return errorKinds[kind].status;
  return reasons[data.reason].status;
}

/** Members of `data` beyond filename, operation, timestamp and details. */
export interface FailureData {
  /** System error name such as ENOSPC. */
  errno?: string;
  /** Set only if the file may have changed although the request failed. */
  applied?: true | 'unknown';
  /** Hash of the current text if the expected one did not match. */
  current_hash?: string;
  /** Error code of the storage and edits tools; absent for the others. */
  reason?: Reason;
  /** The path at fault, as the caller wrote it. */
  path?: string;
  /** Of a conflict: the line in the text as it is now, from 1. */
  line?: number;
  /** Of a conflict: the change that is in the way, and its caller; absent: another program's. */
  changed_by?: { readonly id: string; readonly caller?: string | undefined };
  /** The change that has undone this one already. */
  undone_by?: string;
  /** Number of the change that failed, if the call has several; from 1. */
  change?: number;
}

/** A failed request, in the form that crosses threads and that every front renders. */
export interface Failure {
  readonly ok: false;
  readonly kind: ErrorKindName;
  readonly message: string;
  /** One sentence: what an agent should do next. */
  readonly details: string;
  readonly data?: FailureData;
  /** The parameters at fault, if any. */
  readonly parameters?: readonly string[];
  /** For the log only, never sent to clients: the system's message, or the stack of a bug. */
  readonly cause?: string;
  readonly notices?: readonly Notice[];
}

/** For a change whose outcome is unknown (spec 5.5). */
export const unknownOutcome = {
  data: { applied: 'unknown' },
  details: 'It may or may not have been done; check the current state before repeating anything.',
} as const;

/** A problem worth a log line that did not fail the request, such as a lock that could not be released. */
export interface Notice {
  readonly message: string;
  readonly errno?: string;
}

/** Facts about a text that its lines do not show. */
export interface Unseen {
  /** The kinds of line separators in the whole file. */
  readonly lineBreaks: readonly string[];
  /** Whether the lines begin with the byte order mark of the file. */
  readonly hasBom: boolean;
  /** Whether the last line of the file has a separator. */
  readonly ended: boolean;
}

/** Details for a model, in addition to the result that all callers get (spec 11). */
export interface ForModel {
  /** For a change: where the new text is, as `line 12`, `lines 12-14` or `lines 3, 9, 42`. */
  readonly place?: string;
  /** For a change: each on its own line. */
  readonly remarks?: readonly string[];
  /** For a text: line count of the whole file. */
  readonly totalLines?: number;
  /** For a text. */
  readonly unseen?: Unseen;
  /** For a directory: the size of each file in bytes; one of entryKinds for other entries. */
  readonly kinds?: Float64Array;
  /** For a directory: number of hidden entries. */
  readonly hidden?: number;
  /** For a search: the first files that were left out. */
  readonly leftOut?: readonly LeftOut[];
  /** For a search: whether it was in a single file. */
  readonly isFile?: boolean;
  /** Of an undo: the changes that are undone, a line each. */
  readonly undone?: readonly string[];
  /** For several files: of each that was looked at. */
  readonly files?: readonly ForModel[];
}

/**
 * A request that succeeded. Uint8Array members of `result` hold JSON as bytes, lists of them in pieces: large texts and
 * lists are encoded where they are read and never become JavaScript values on their way out.
 */
export interface Success {
  readonly ok: true;
  readonly result: Readonly<Record<string, unknown>>;
  /**
   * The whole result as JSON bytes, if a worker has encoded it; `result` then has only the members that are needed
   * separately.
   */
  readonly json?: Uint8Array;
  /** Hash of the text that was read or written (spec 5.4). */
  readonly hash?: string;
  /**
   * Identity of the file that was read: the answer is valid while an lstat of its name returns the same one. Absent if
   * the file was read through a link, or if its timestamps could not be trusted.
   */
  readonly identity?: FileIdentity;
  readonly forModel?: ForModel;
  /** The names that the call has changed, for the log; absent: those of its parameters, if it writes. */
  readonly changed?: readonly string[];
  /** For one part of a search. */
  readonly part?: SearchedPart;
  readonly notices?: readonly Notice[];
}

/**
 * Kinds of directory entries that are not files; `other`: a device, or a link without a target inside the directory.
 */
export const entryKinds = { directory: -1, other: -2 } as const;

export type Outcome = Success | Failure;

/** Make a failure; `details` defaults to the advice for its system error or its kind. */
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

/** A text that may name lines: `shown` converts a line number to the reader's numbering. */
type LineText = string | ((shown: (line: number) => number) => string);

interface Explanation {
  readonly details?: LineText;
  readonly data?: FailureData;
  readonly cause?: string;
}

/** Thrown anywhere below a front or inside a worker; converted to its failure where the call was made. */
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
