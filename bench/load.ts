import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What the process of load-process.ts is asked to do. */
export interface LoadJob {
  readonly workload: string;
  /** One for each server; the clients are spread over them. */
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  readonly measureMs: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /**
   * Processor time of the servers, all their threads, for one request. It says more than the rate where the client is
   * what limits it, and hardly notices what else the machine does. Undefined where the system does not tell.
   */
  readonly serverMsPerRequest: number | undefined;
  /** Share of a processor that the client took: near 1, it was the client that limited the rate. */
  readonly clientBusy: number;
  /** Requests answered with 200, those of the warm-up included. */
  readonly acknowledged: number;
}

type Reply = { readonly ok: true; readonly result: LoadResult } | { readonly ok: false; readonly problem: string };

/** The process that makes the load: the same one for all variants, so that none has the warmer client. */
export class Load {
  // As this process was started: with the loader for TypeScript.
  private readonly child: ChildProcess = fork(fileURLToPath(new URL('load-process.ts', import.meta.url)));

  /** One at a time. @throws if a request was not answered with 200 */
  async run(job: LoadJob): Promise<LoadResult> {
    const answered = new AbortController();
    const { signal } = answered;
    const gone = once(this.child, 'exit', { signal }).then(() => {
      throw new Error('the load process ended');
    });
    this.child.send(job);
    try {
      const [reply] = (await Promise.race([once(this.child, 'message', { signal }), gone])) as [Reply];
      if (!reply.ok) throw new Error(`${job.workload}: ${reply.problem}`);
      return reply.result;
    } finally {
      answered.abort();
      await gone.catch(() => undefined);
    }
  }

  close(): void {
    this.child.disconnect();
  }
}
