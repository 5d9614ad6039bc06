import type { FailureData, Reason } from '../core/errors.js';

/** `data` of an error, as the server sends it (docs/errors.md). */
export interface ErrorData extends FailureData {
  /** What to do next. */
  readonly details?: string;
  readonly operation?: string;
  readonly filename?: string;
  readonly timestamp?: string;
}

/** An error object of the server. */
export interface ServerError {
  readonly code: number;
  readonly message: string;
  readonly data: ErrorData;
}

/** Constructor arguments of FileEditorError. */
export interface ErrorFacts {
  readonly message: string;
  readonly code?: number | undefined;
  readonly status?: number | undefined;
  readonly data?: ErrorData;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** A failed call: the server refused it, its answer never came, or it could not be sent. */
export class FileEditorError extends Error {
  /** JSON-RPC code; undefined if there was no answer, or it came from something other than the server. */
  readonly code: number | undefined;
  /** HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  readonly data: ErrorData;
  /**
   * Undefined if nothing was written. `true`: the edit was written, but a later step failed. `'unknown'`: the answer to
   * an edit was lost, in this attempt or an earlier one; read the file before you repeat the edit.
   */
  readonly applied: true | 'unknown' | undefined;
  /** Id of the call in the server's log. */
  readonly requestId: string | undefined;

  /** @param lost whether a request was sent that may have been executed without an answer */
  constructor({ message, code, status, data = {}, requestId, cause }: ErrorFacts, lost: boolean) {
    super(message, { cause });
    this.name = 'FileEditorError';
    this.code = code;
    this.status = status;
    this.data = data;
    this.applied = data.applied ?? (lost ? 'unknown' : undefined);
    this.requestId = requestId;
  }

  /** Error code of the storage and edits tools, such as `file_not_found`. */
  get reason(): Reason | undefined {
    return this.data.reason;
  }

  /** What to do next. */
  get details(): string | undefined {
    return this.data.details;
  }
}
