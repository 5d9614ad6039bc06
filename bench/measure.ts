import { setTimeout as pause } from 'node:timers/promises';
import { countEntries, type Directories } from './directory.js';
import type { Load, LoadResult } from './load.js';
import { server, type Program } from './programs.js';
import { start, type Running } from './running.js';
import type { Workload } from './workloads.js';

export interface Measurement extends LoadResult {
  /** Requests that were acknowledged and are not in the file; undefined for workloads that do not append. */
  readonly lost: number | undefined;
}

/** What a measurement needs, and what is the same for all of them. */
export interface Bench {
  readonly load: Load;
  readonly directories: Directories;
  readonly measureMs: number;
}

/** For what was sent but not yet answered when the load ended: ending a server in the middle of it would look like a loss. */
const settleMs = 200;

/** One measurement with processes of its own, which have ended when it is over. */
export function measure(bench: Bench, workload: Workload, program: Program, answerBytes = 0): Promise<Measurement> {
  const { load, directories, measureMs } = bench;
  return directories.lend(workload, async (directory) => {
    const servers: Running[] = [];
    let result: LoadResult;
    try {
      for (let i = 0; i < workload.servers; i++) servers.push(await start(program, directory, answerBytes));
      const urls = servers.map(({ url }) => url);
      const pids = servers.map(({ pid }) => pid);
      result = await load.run({ workload: workload.name, urls, pids, measureMs });
      if (workload.appends === true) await pause(settleMs);
    } finally {
      await Promise.all(servers.map((each) => each.stop()));
    }
    const lost = workload.appends === undefined ? undefined : result.acknowledged - countEntries(directory);
    // More than were acknowledged are there if clients were cut off before they had their answers.
    return { ...result, lost: lost === undefined ? undefined : Math.max(0, lost) };
  });
}

/** How large this server's answer to the first request of a workload is, in bytes. */
export function answerBytes({ directories }: Bench, workload: Workload): Promise<number> {
  return directories.lend(workload, async (directory) => {
    const [request] = workload.requests(0, workload.clients);
    if (request === undefined) throw new Error(`${workload.name} has no requests`);
    const running = await start(server, directory);
    try {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(running.url + request.path, { method: 'POST', headers, body: request.body });
      if (!response.ok) throw new Error(`${workload.name}: ${await response.text()}`);
      return (await response.arrayBuffer()).byteLength;
    } finally {
      await running.stop();
    }
  });
}
