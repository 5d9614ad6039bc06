import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Generator, LoadJob, LoadResult } from './generator.js';

export type Reply =
  { readonly ok: true; readonly result: LoadResult } | { readonly ok: false; readonly problem: string };

/** The process of autocannon-process.ts, shared by all variants, so none has a warmer client. */
export class Autocannon implements Generator {
  readonly name = 'autocannon';
  // Forked with the flags of this process: the TypeScript loader.
  private readonly child: ChildProcess = fork(fileURLToPath(new URL('autocannon-process.ts', import.meta.url)));

  async run(job: LoadJob): Promise<LoadResult> {
    const answered = new AbortController();
    const { signal } = answered;
    const gone = once(this.child, 'exit', { signal }).then(() => {
      throw new Error('the load process ended');
    });
    this.child.send(job);
    try {
      const [reply] = (await Promise.race([once(this.child, 'message', { signal }), gone])) as [Reply];
      if (!reply.ok) throw new Error(`${job.name}: ${reply.problem}`);
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
