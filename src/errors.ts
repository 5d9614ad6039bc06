/**
 * Every way a request can fail, once. The kind is what code branches on; `code` and `status` are what
 * the fronts send (CONTRACT.md 5.5); `advice` is the default `data.details`: what an agent should do next.
 * Failures cross the thread border as plain data, since a thrown Error loses its class and fields there.
 */
import type { FileIdentity } from './file-identity.js';
import { systemAdvice } from './system-advice.js';

export interface ErrorKind {
  /** JSON-RPC error code. */
  readonly code: number;
  /** HTTP status of the REST front. */
  readonly status: number;
  readonly advice: string;
}

/**
 * What the storage and edits tools call their errors (CONTRACT.md 11): `data.reason` on REST and JSON-RPC, whose codes and
 * statuses follow from it, and the code of MCP.
 */
export type Reason = keyof typeof reasons;

const reasons = {
  file_not_found: { code: -32001, status: 404 },
  file_exists: { code: -32001, status: 409 },
  path_security: { code: -32602, status: 400 },
  string_not_found: { code: -32001, status: 400 },
  string_not_unique: { code: -32001, status: 400 },
  binary_file: { code: -32001, status: 400 },
  invalid_line_number: { code: -32001, status: 400 },
  directory_not_empty: { code: -32001, status: 409 },
  permission_denied: { code: -32001, status: 403 },
  disk_full: { code: -32001, status: 507 },
  invalid_encoding: { code: -32001, status: 400 },
  file_too_large: { code: -32001, status: 413 },
  is_directory: { code: -32001, status: 400 },
  not_a_directory: { code: -32001, status: 400 },
  conflict: { code: -32001, status: 409 },
  busy: { code: -32001, status: 503 },
  timeout: { code: -32001, status: 504 },
  invalid_params: { code: -32602, status: 400 },
  not_a_file: { code: -32001, status: 400 },
  io_error: { code: -32001, status: 500 },
} as const satisfies Record<string, Pick<ErrorKind, 'code' | 'status'>>;

const kinds = {
  // Refused before an operation is known.
  parse_error: {
    code: -32700,
    status: 400,
    advice: 'Send the request as one valid JSON text in UTF-8, without a byte order mark.',
  },
  invalid_request: {
    code: -32600,
    status: 400,
    advice: 'Correct the request as the message says and send it again.',
  },
  forbidden: {
    code: -32600,
    status: 403,
    advice: 'Call the server by its own address, or start it with --allow-origin for this browser origin.',
  },
  method_not_allowed: {
    code: -32600,
    status: 405,
    advice: 'Use one of the methods in the Allow header.',
  },
  unknown_operation: {
    code: -32601,
    status: 404,
    advice: 'Use one of the operations that this server offers.',
  },
  request_too_large: {
    code: -32600,
    status: 413,
    advice: 'Split the work into several smaller requests, or start the server with a larger --max-size.',
  },

  // The parameters.
  invalid_params: {
    code: -32602,
    status: 400,
    advice: 'Correct the parameters and send the request again.',
  },
  invalid_filename: {
    code: -32602,
    status: 400,
    advice: 'Use a plain file name without path separators, as list_files reports it.',
  },
  invalid_range: {
    code: -32602,
    status: 400,
    advice: 'Read the file to learn its line count, then send line numbers within it.',
  },

  // The file.
  not_found: {
    code: -32001,
    status: 404,
    advice: 'Call list_files to see which files exist.',
  },
  permission_denied: {
    code: -32001,
    status: 403,
    advice: 'The server may not access this file; choose another file or ask for its permissions to be changed.',
  },
  not_a_regular_file: {
    code: -32001,
    status: 400,
    advice: 'Only regular text files can be read and edited; call list_files to see them.',
  },
  too_large: {
    code: -32001,
    status: 413,
    advice: 'Work with a smaller file, or start the server with a larger --max-size.',
  },
  too_many_lines: {
    code: -32001,
    status: 413,
    advice: 'Work with a file of fewer lines, or start the server with a larger --max-lines.',
  },
  not_utf8: {
    code: -32001,
    status: 400,
    advice: 'Only UTF-8 text can be read and edited; convert the file first or choose another one.',
  },
  changed: {
    code: -32001,
    status: 412,
    advice:
      'Nothing was written by this request. If it repeats one whose answer was lost, your edit may already be in the file: look first. Read the file again and edit its current content, with its current hash.',
  },
  modified_concurrently: {
    code: -32001,
    status: 409,
    advice: 'Nothing was written. Another program changed the file during the edit; read it again and retry.',
  },
  lock_timeout: {
    code: -32001,
    status: 409,
    advice: 'Nothing was written. Another edit holds this file; retry in a moment.',
  },
  no_directory: {
    code: -32001,
    status: 404,
    advice: 'The working directory is missing; it must exist again before any file can be used.',
  },
  directory_denied: {
    code: -32001,
    status: 403,
    advice: 'The server may not use its working directory; its owner must mend the permissions.',
  },
  write_failed: {
    code: -32001,
    status: 500,
    advice: 'The file is unchanged. Mend the cause that the message names, then retry.',
  },
  write_denied: {
    code: -32001,
    status: 403,
    advice: 'The file is unchanged. The server may not write here; its owner must mend the permissions.',
  },
  read_failed: {
    code: -32001,
    status: 500,
    advice: 'The file could not be read because of a system error; retry, and check the disk if it persists.',
  },
  not_durable: {
    code: -32001,
    status: 500,
    advice: 'The edit is in the file but may not survive a power failure. Read the file before repeating anything.',
  },

  // The storage and edits tools.
  file_exists: {
    code: -32001,
    status: 409,
    advice: 'Nothing was changed. Choose another path, or delete or rename what is there first.',
  },
  path_security: {
    code: -32602,
    status: 400,
    advice: 'Use a path below the working directory, such as notes/today.md; view with an empty path lists it.',
  },
  is_directory: {
    code: -32001,
    status: 400,
    advice: 'Name a file; view lists what is in the directory.',
  },
  not_a_directory: {
    code: -32001,
    status: 400,
    advice: 'A file stands where the path needs a directory; view the directory above it to see what is there.',
  },
  directory_not_empty: {
    code: -32001,
    status: 409,
    advice: 'Delete what is in it first; view leaves out names that begin with a dot, and those count too.',
  },
  string_not_found: {
    code: -32001,
    status: 400,
    advice: 'Nothing was written. View the file and send the text exactly as it is there, white space included.',
  },
  string_not_unique: {
    code: -32001,
    status: 400,
    advice: 'Nothing was written. Send a longer text, with lines around it, that is in the file only once.',
  },
  invalid_encoding: {
    code: -32001,
    status: 400,
    advice: 'Nothing was written. Send text as utf-8, and bytes that are no text as base64 with its padding.',
  },

  // The server.
  timed_out: {
    code: -32603,
    status: 504,
    advice:
      'Nothing was written. Retry; if it happens again, do less in one request or start the server with a longer --timeout.',
  },
  busy: { code: -32000, status: 503, advice: 'Nothing was done. Retry after a short pause.' },
  shutting_down: {
    code: -32000,
    status: 503,
    advice: 'Nothing was done. Retry when the server has been started again.',
  },
  cancelled: { code: -32000, status: 503, advice: 'Nothing was written. The caller cancelled this request.' },
  internal: {
    code: -32603,
    status: 500,
    advice: 'Retry once; if it fails again, look at the server log under this request id.',
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorKindName = keyof typeof kinds;
export const errorKinds: Readonly<Record<ErrorKindName, ErrorKind>> = kinds;

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
export type LineText = string | ((shown: (line: number) => number) => string);

interface Explanation {
  readonly details?: LineText;
  readonly data?: FailureData;
  readonly cause?: string;
}

/** Thrown anywhere below a front or inside a worker; one catch per thread turns it into its failure. */
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
export function inLines(text: LineText, lineBase: LineBase): string {
  return typeof text === 'string' ? text : text((line) => line - 1 + lineBase);
}
