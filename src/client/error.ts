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

/** What an error is made of. */
export interface ErrorFacts {
  readonly message: string;
  readonly code?: number | undefined;
  readonly status?: number | undefined;
  readonly data?: ErrorData;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** Why a call failed: the server refused it, its answer never came, or a mistake kept it from being sent. */
export class FileEditorError extends Error {
  /** JSON-RPC code; undefined if the server has not answered, or something else has in its place. */
  readonly code: number | undefined;
  /** HTTP status; undefined if nobody has answered. */
  readonly status: number | undefined;
  readonly data: ErrorData;
  /**
   * Undefined if nothing was written. `true`: the edit was written, though not everything went well. `'unknown'`: the
   * answer to an edit was lost, now or before it was sent again; look at the file before you repeat it.
   */
  readonly applied: true | 'unknown' | undefined;
  /** What the server's log calls the call. */
  readonly requestId: string | undefined;

  /** @param lost whether something was sent that may have been executed without an answer */
  constructor({ message, code, status, data = {}, requestId, cause }: ErrorFacts, lost: boolean) {
    super(message, { cause });
    this.name = 'FileEditorError';
    this.code = code;
    this.status = status;
    this.data = data;
    this.applied = data.applied ?? (lost ? 'unknown' : undefined);
    this.requestId = requestId;
  }

  /** For the storage and edits tools: what went wrong, such as `file_not_found`. */
  get reason(): Reason | undefined {
    return this.data.reason;
  }

  /** What to do next. */
  get details(): string | undefined {
    return this.data.details;
  }
}
