import type { Request } from '../workloads.js';

/** A load to put on a program. */
export interface LoadJob {
  readonly name: string;
  readonly requests: readonly Request[];
  readonly clients: number;
  /** Clients are spread over the servers. */
  readonly servers: readonly { readonly url: string; readonly pid: number }[];
  readonly warmUp: number;
  readonly measureMs: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /**
   * Processor time of the servers, all their threads, per request. More telling than the rate when the client limits
   * the rate, and hardly affected by other work of the machine. Undefined if the system does not report it.
   */
  readonly serverMsPerRequest: number | undefined;
  /** Share of a processor that the client used: near 1, the client limited the rate. */
  readonly clientBusy: number | undefined;
  /** Answered requests, including the warm-up. */
  readonly acknowledged: number;
}

/** A program that plays many clients. */
export interface Generator {
  readonly name: string;
  /** One at a time. @throws if a request was not answered with 200 */
  run(job: LoadJob): Promise<LoadResult>;
  close(): void;
}
