/** What a server costs as a process: until it answers, until it has ended, and while it does nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Directories } from './directory.js';
import { memoryMb } from './process-figures.js';
import type { Program } from './programs.js';
import { bareNodeMs, start } from './running.js';
import { median } from './statistics.js';
import { workload } from './workloads.js';

const files = workload('read 1 KB');
const edited = workload('edit 1 MB');
/** After this a started process has collected what it needed only to start. */
const settleMs = 1_000;

/** Milliseconds until each program answers, and (first) until bare Node has run nothing; medians, taken in turns. */
export function startTimes(directories: Directories, programs: readonly Program[], rounds: number): Promise<number[]> {
  return directories.lend(files, async (directory) => {
    const starts: (() => Promise<number>)[] = [
      bareNodeMs,
      ...programs.map((program) => async () => {
        const running = await start(program, directory);
        await running.stop();
        return running.startMs;
      }),
    ];
    const times = starts.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      const order = [...starts.keys()];
      for (const index of round % 2 === 0 ? order : order.toReversed()) {
        const ms = await starts[index]?.();
        if (ms !== undefined) times[index]?.push(ms);
      }
    }
    return times.map(median);
  });
}

/** Milliseconds from SIGTERM to the end of a process that five clients are keeping busy with edits of 1 MB; median. */
export async function shutdownMs(directories: Directories, program: Program, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const ms = await directories.lend(edited, async (directory) => {
      const running = await start(program, directory);
      const clients = Array.from({ length: edited.clients }, (_, client) => keepBusy(running.url, client));
      await pause(300);
      const took = await running.stop();
      await Promise.all(clients);
      return took;
    });
    times.push(ms);
  }
  return median(times);
}

/** Send one request after the other until the server has gone. */
async function keepBusy(url: string, client: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { 'Content-Type': 'application/json' };
  try {
    for (const { path, body } of edited.requests(client, edited.clients)) {
      const asked = request(url + path, { agent, method: 'POST', headers }).end(body);
      const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream & { readonly statusCode?: number }];
      response.resume();
      await once(response, 'end');
      if (response.statusCode !== 200) break;
    }
  } catch {
    // The connection was closed: this is what they wait for.
  } finally {
    agent.destroy();
  }
}

/** Resident memory in megabytes of each program that was started and asked once, above bare Node; medians. */
export function idleMemoryMb(
  directories: Directories,
  programs: readonly Program[],
  rounds: number,
): Promise<(number | undefined)[]> {
  return directories.lend(files, async (directory) => {
    const bare = await memoryOf(rounds, startBareNode);
    const above: (number | undefined)[] = [];
    for (const program of programs) {
      const memory = await memoryOf(rounds, () => start(program, directory));
      above.push(memory === undefined || bare === undefined ? undefined : memory - bare);
    }
    return above;
  });
}

interface Idle {
  readonly pid: number;
  stop(): unknown;
}

/** All at once, since doing nothing they do not disturb each other. */
async function memoryOf(instances: number, begin: () => Promise<Idle>): Promise<number | undefined> {
  const idle: Idle[] = [];
  try {
    for (let i = 0; i < instances; i++) idle.push(await begin());
    await pause(settleMs);
    const figures = idle.map(({ pid }) => memoryMb(pid)).filter((each) => each !== undefined);
    return figures.length === instances ? median(figures) : undefined;
  } finally {
    await Promise.all(idle.map((each) => each.stop()));
  }
}

function startBareNode(): Promise<Idle> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e9)'], { stdio: 'ignore' });
  if (child.pid === undefined) throw new Error('Node did not start');
  return Promise.resolve({ pid: child.pid, stop: () => child.kill('SIGKILL') });
}
