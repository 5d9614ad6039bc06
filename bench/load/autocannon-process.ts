/**
 * The process that generates the load: separate from the servers and from anything that prints, since a client that
 * shares a thread with either measures itself. One job at a time, one message in and one out for each.
 */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { processorMs } from '../process-figures.js';
import { median, percentile } from '../statistics.js';
import type { Reply } from './autocannon.js';
import type { LoadJob, LoadResult } from './generator.js';

process.on('message', (job: LoadJob) => {
  run(job).then(
    (result) => reply({ ok: true, result }),
    (error: unknown) => reply({ ok: false, problem: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));

function reply(message: Reply): void {
  process.send?.(message);
}

/** A warm-up that takes longer is cut off. */
const warmUpBoundMs = 5_000;

/** Observations since the end of the warm-up. */
interface Window {
  readonly began: number;
  readonly clientMs: number;
  readonly serverMs: number | undefined;
  readonly latencies: number[];
}

async function run({ requests, clients, servers, warmUp, measureMs }: LoadJob): Promise<LoadResult> {
  const prepared = requests.map(({ token, ...each }) => ({
    ...each,
    headers: {
      'Content-Type': 'application/json',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
  }));
  let window: Window | undefined;
  let acknowledged = 0;
  let next = 0;

  const guns = servers.map(({ url }) => {
    const options: autocannon.Options = {
      url,
      connections: clients / servers.length,
      // Only a bound: this process decides when to stop, which autocannon checks every 10 ms.
      duration: 60,
      sampleInt: 10,
      setupClient: (client) => {
        const first = next++;
        const own = prepared.filter((_, index) => index % clients === first % prepared.length);
        client.setRequests(own);
      },
    };
    const gun = autocannon(options, (error: unknown) => {
      if (error instanceof Error) throw error;
    });
    const done = once(gun, 'done') as Promise<[autocannon.Result]>;
    // autocannon's own histogram counts whole milliseconds, too coarse for small reads.
    gun.on('response', (_client, status, _bytes, latency) => {
      if (status === 200) acknowledged++;
      window?.latencies.push(latency);
    });
    return { gun, done };
  });

  const warm = performance.now() + warmUpBoundMs;
  while (acknowledged < warmUp && performance.now() < warm) await pause(5);
  const pids = servers.map(({ pid }) => pid);
  window = openWindow(pids);
  await pause(measureMs);
  const seconds = (performance.now() - window.began) / 1000;
  const closed = openWindow(pids);
  const measured = window;
  window = undefined;
  for (const { gun } of guns) gun.stop();
  for (const { done } of guns) assertAnswered(...(await done));

  const { latencies } = measured;
  return {
    requestsPerSecond: latencies.length / seconds,
    p50Ms: median(latencies),
    p99Ms: percentile(latencies, 0.99),
    serverMsPerRequest:
      closed.serverMs === undefined || measured.serverMs === undefined
        ? undefined
        : (closed.serverMs - measured.serverMs) / latencies.length,
    clientBusy: (closed.clientMs - measured.clientMs) / 1000 / seconds,
    acknowledged,
  };
}

function openWindow(pids: readonly number[]): Window {
  const { user, system } = process.cpuUsage();
  const times = pids.map(processorMs);
  const serverMs = times.reduce((sum, each) => (sum === undefined || each === undefined ? undefined : sum + each), 0);
  return { began: performance.now(), clientMs: (user + system) / 1000, serverMs, latencies: [] };
}

/** Errors are fast: a figure that counts them is worthless. */
function assertAnswered({ errors, non2xx, statusCodeStats }: autocannon.Result): void {
  if (errors === 0 && non2xx === 0) return;
  throw new Error(`${String(errors)} connections failed; answers by status: ${JSON.stringify(statusCodeStats)}`);
}
