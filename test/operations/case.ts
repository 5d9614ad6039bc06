import type { OperationName } from '../../src/operations.js';

/** What a directory holds: text or bytes by name. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** What went wrong, as REST sees it; JSON-RPC has the same without the status. */
export interface ExpectedError {
  readonly code: number;
  readonly status: number;
  /** The whole message, or what it matches. */
  readonly message: string | RegExp;
  /** What the advice matches; a sentence in any case. */
  readonly details?: RegExp;
  /** Further members of `data`. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** One call, and the directory before and after it. Every front runs every case. */
export interface Case {
  readonly title: string;
  /** Flags of the server, as library options. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly before?: Files;
  /** For what is not a file with content: links, modes, FIFOs. */
  readonly prepare?: (directory: string) => void;
  readonly call: readonly [OperationName, unknown];
  /** Members of the result; `hash` may be a pattern. Exactly these. */
  readonly result?: Readonly<Record<string, unknown>> | ((directory: string) => Readonly<Record<string, unknown>>);
  readonly error?: ExpectedError;
  /** Regular files afterwards, hidden ones included; default: as before. */
  readonly after?: Files;
}

export const invalidParams = (message: string | RegExp): ExpectedError => ({ code: -32602, status: 400, message });
