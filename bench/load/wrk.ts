import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endedChildrenMs, processorMs } from '../process-figures.js';
import { inPath } from '../programs/in-path.js';
import type { Generator, LoadJob, LoadResult } from './generator.js';

const command = inPath('wrk');
export const hasWrk = command !== undefined;
const script = fileURLToPath(new URL('wrk.lua', import.meta.url));
/**
 * wrk counts in whole seconds. A server with several threads spends more than two of them compiling: an edit of one of
 * 64 files takes 1.2 ms of processor time in the first second, 0.5 in the fourth.
 */
const warmUpSeconds = 3;

/** The output of wrk.lua. */
interface Summary {
  readonly requests: number;
  readonly duration: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

/** A client in C, which leaves the machine to the servers. */
export class Wrk implements Generator {
  readonly name = 'wrk';
  private readonly folder = mkdtempSync(join(tmpdir(), 'file-editor-bench-wrk-'));

  async run({ name, requests, clients, servers, measureMs }: LoadJob): Promise<LoadResult> {
    const [url, ...others] = new Set(servers.map((server) => server.url));
    if (url === undefined || others.length > 0) throw new Error(`${name}: wrk asks one address`);
    const pids = servers.map(({ pid }) => pid);
    const list = join(this.folder, 'requests');
    writeFileSync(
      list,
      requests.map(({ method, path, token = '-', body }) => `${method} ${path} ${token} ${body}\n`).join(''),
    );

    // Starts in the middle of the list, so the measurement begins with files that have not grown yet.
    const warm = await fire(url, clients, warmUpSeconds, [list, '0.5']);
    const [clientBefore, serverBefore] = [endedChildrenMs(), processorMsOf(pids)];
    const measured = await fire(url, clients, Math.ceil(measureMs / 1000), [list, '0']);
    const serverMs = difference(serverBefore, processorMsOf(pids));
    const clientMs = difference(clientBefore, endedChildrenMs());
    const failed = warm.failed + measured.failed;
    if (failed > 0) throw new Error(`${name}: ${String(failed)} requests failed`);
    return {
      requestsPerSecond: (measured.requests / measured.duration) * 1e6,
      p50Ms: measured.p50 / 1000,
      p99Ms: measured.p99 / 1000,
      serverMsPerRequest: serverMs === undefined ? undefined : serverMs / measured.requests,
      clientBusy: clientMs === undefined ? undefined : (clientMs * 1000) / measured.duration,
      acknowledged: warm.requests + measured.requests,
    };
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function fire(url: string, clients: number, seconds: number, args: readonly string[]): Promise<Summary> {
  const options = ['--threads=1', `--connections=${String(clients)}`, `--duration=${String(seconds)}s`];
  const all = [...options, `--script=${script}`, url, '--', ...args];
  const { stdout } = await promisify(execFile)(command ?? 'wrk', all);
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{'))) as Summary;
}

function processorMsOf(pids: readonly number[]): number | undefined {
  return pids.reduce<number | undefined>((sum, pid) => {
    const ms = processorMs(pid);
    return sum === undefined || ms === undefined ? undefined : sum + ms;
  }, 0);
}

function difference(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : after - before;
}
