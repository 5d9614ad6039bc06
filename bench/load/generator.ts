import type { Request } from '../workloads.js';

/** What a program under load is asked. */
export interface LoadJob {
  readonly name: string;
  readonly requests: readonly Request[];
  readonly clients: number;
  /** The clients are spread over them. */
  readonly servers: readonly { readonly url: string; readonly pid: number }[];
  readonly warmUp: number;
  readonly measureMs: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /**
   * Processor time of the servers, all their threads, per request. It tells more than the rate if the client is what
   * limits that, and hardly depends on what else the machine does. Undefined if the system does not tell.
   */
  readonly serverMsPerRequest: number | undefined;
  /** Share of a processor that the client took: near 1, the client limited the rate. */
  readonly clientBusy: number | undefined;
  /** Requests that were answered, including those of the warm-up. */
  readonly acknowledged: number;
}

/** A program that plays many clients. */
export interface Generator {
  readonly name: string;
  /** One at a time. @throws if a request was not answered with 200 */
  run(job: LoadJob): Promise<LoadResult>;
  close(): void;
}
