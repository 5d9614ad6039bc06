import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import { countEntries } from '../directory.js';
import type { Quantities, Subject } from '../figures.js';
import type { Program } from '../programs/program.js';
import { server } from '../programs/programs.js';
import { start, type Serving } from '../programs/start.js';
import type { Workload } from '../workloads.js';

/**
 * Grace period for requests in flight when the load ends: stopping the server right away would look like lost edits.
 */
const settleMs = 200;

/** A program under the load of many clients. */
export function httpLoad(program: Program, workload: Workload): Subject {
  return {
    name: program.name,
    missing: program.missing,
    observe: (bench) =>
      bench.directories.lend(workload, async (directory) => {
        const bytes = program.constant === true ? await answerBytes(workload, directory) : 0;
        const serving: Serving[] = [];
        try {
          for (let i = 0; i < (workload.servers ?? 1); i++) {
            const shared = workload.onePort === true ? serving[0]?.port : undefined;
            serving.push(await start(program, directory, bytes, shared));
          }
          return await load(bench, workload, program, serving, directory);
        } finally {
          await Promise.all(serving.map((each) => each.stop()));
        }
      }),
  };
}

async function load(
  { load, measureMs }: Bench,
  workload: Workload,
  { name, asked = (request) => request }: Program,
  servers: readonly Serving[],
  directory: string,
): Promise<Quantities> {
  const result = await load.run({
    name: `${name}: ${workload.name}`,
    requests: workload.requests().map(asked),
    clients: workload.clients,
    servers: servers.map(({ url, pid }) => ({ url, pid })),
    warmUp: workload.warmUp,
    measureMs,
  });
  if (workload.appends === true) await assertNothingLost(workload, result.acknowledged, directory);
  return {
    rate: result.requestsPerSecond,
    p50: result.p50Ms,
    p99: result.p99Ms,
    ...(result.serverMsPerRequest === undefined ? {} : { cpu: result.serverMsPerRequest }),
    ...(result.clientBusy === undefined ? {} : { client: result.clientBusy }),
  };
}

/** More entries than acknowledgements are fine: clients may be cut off before their answers arrive. */
async function assertNothingLost({ name }: Workload, acknowledged: number, directory: string): Promise<void> {
  await pause(settleMs);
  const lost = acknowledged - countEntries(directory);
  if (lost > 0) throw new Error(`${name}: ${String(lost)} acknowledged edits are not in the file`);
}

/** Size of this server's answer to the first request of a workload, in bytes. */
async function answerBytes(workload: Workload, directory: string): Promise<number> {
  const [request] = workload.requests();
  if (request === undefined) throw new Error(`${workload.name} has no requests`);
  const running = await start(server(), directory);
  try {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(running.url + request.path, { method: 'POST', headers, body: request.body });
    if (!response.ok) throw new Error(`${workload.name}: ${await response.text()}`);
    return (await response.arrayBuffer()).byteLength;
  } finally {
    await running.stop();
  }
}
