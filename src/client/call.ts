/** Calls and options of the client. */
import type { Arguments as Params, OperationName } from '../core/schemas.js';
import type { Fetch } from './send.js';

/** Options of a single call. */
export interface CallOptions {
  /** Rejects the call with its reason. A request that has been sent may still be executed. */
  readonly signal?: AbortSignal;
  /** Time-out in milliseconds for the call including its retries; overrides the client's. */
  readonly timeoutMs?: number;
  /** Visible ASCII, up to 128 characters: names the call in the server's log. */
  readonly requestId?: string;
}

/** Options of all calls. */
export interface FileEditorOptions {
  /**
   * Time-out in milliseconds for a call including its retries; default 30,000. More than 24 days, such as Infinity,
   * means 24 days.
   */
  readonly timeoutMs?: number;
  /** Maximum number of retries; default 3. */
  readonly retries?: number;
  /** Sent as a bearer token, for a server with `--tokens`, unless `headers` have another login. */
  readonly token?: string;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
}

/** One call of the client. */
export interface ClientCall<Name extends OperationName> {
  readonly operation: Name;
  readonly params: Params[Name];
  /** The file of the call, for load balancers. */
  readonly subject: string | undefined;
  /** Whether it may change a file. */
  readonly writes: boolean;
  /** Whether it is safe to execute twice. */
  readonly repeatable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options: CallOptions;
}
