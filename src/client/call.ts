/** What a client asks for. */
import type { Arguments as Params, OperationName } from '../core/schemas.js';
import type { Fetch } from './send.js';

/** Options of a single call. */
export interface CallOptions {
  /** Rejects the call with its reason. A request that has been sent may be executed all the same. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the call including all its repetitions, instead of the client's. */
  readonly timeoutMs?: number;
  /** Visible ASCII, up to 128 characters: names the call in the server's log. */
  readonly requestId?: string;
}

/** Options of all calls. */
export interface FileEditorOptions {
  /**
   * Milliseconds for a call including all its repetitions; 30,000 if absent. More than 24 days, such as Infinity, means
   * 24 days.
   */
  readonly timeoutMs?: number;
  /** How often a call is sent again at most; 3 if absent. */
  readonly retries?: number;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the global one. */
  readonly fetch?: Fetch;
}

/** What is to be sent. */
export interface ClientCall<Name extends OperationName> {
  readonly operation: Name;
  readonly params: Params[Name];
  /** The file in question, for load balancers. */
  readonly subject: string | undefined;
  /** Whether it may change a file. */
  readonly writes: boolean;
  /** Whether executing it twice does no harm. */
  readonly repeatable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options: CallOptions;
}
