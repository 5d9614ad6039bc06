/** What a client asks for. */
import type { Arguments as Params, OperationName } from '../schemas.js';
import type { Fetch } from './attempt.js';

/** Of one call. */
export interface CallOptions {
  /** Rejects the call with its reason. What was sent may be executed all the same. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the call with all its repetitions, instead of those of the client. */
  readonly timeoutMs?: number;
  /** Visible ASCII, up to 128 characters: the log of the server names the call so. */
  readonly requestId?: string;
}

/** Of all calls. */
export interface FileEditorOptions {
  /** Milliseconds for a call with all its repetitions; 30,000 if absent. More than 24 days, as Infinity, are 24 days. */
  readonly timeoutMs?: number;
  /** How often a call is sent again at most; 3 if absent. */
  readonly retries?: number;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the global one. */
  readonly fetch?: Fetch;
}

/** What is to be sent. */
export interface Call<Name extends OperationName> {
  readonly operation: Name;
  readonly params: Params[Name];
  /** The file that it is about, for load balancers. */
  readonly subject: string | undefined;
  /** Whether it may change a file. */
  readonly writes: boolean;
  /** Whether it does no harm to execute it twice. */
  readonly repeatable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options: CallOptions;
}
