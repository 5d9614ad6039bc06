/** The costs of a program as a process: start, shutdown, and idle memory. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Quantities, Subject } from '../figures.js';
import { memoryMb } from '../process-figures.js';
import { run, withRunning } from '../programs/program.js';
import { bareNode, idleNode, server } from '../programs/programs.js';
import { start, type Serving } from '../programs/start.js';
import { thousandFiles, workloads, type Workload } from '../workloads.js';
import { HttpConnection, requestBytes } from './http-connection.js';

const files = { files: thousandFiles };
/** By then a new process has collected its start-up garbage. */
const settleMs = 1_000;
/** By then the server has released what it keeps for the next request (spec 1.1: 8 s). */
const idleMs = 12_000;
/** Length of that load, in multiples of a measurement: 5 s in a full run. */
const workMeasurements = 5;
const nowhere = { directory: '.', port: 0, answerBytes: 0 };

/** From the start of the process to the answer of `GET /health`. */
export const startOfServer = serving(({ startMs }) => Promise.resolve({ ms: startMs }));

/**
 * Until Node has started and run nothing. As `first`, it is what a first call is compared with: both load code. A
 * constant's first answer takes 0.25 to 0.35 ms, so a ratio to it says more about the constant.
 */
export const startOfNode: Subject = {
  name: bareNode.name,
  observe: async () => {
    const began = performance.now();
    await run(bareNode, nowhere).ended;
    const ms = performance.now() - began;
    return { ms, first: ms };
  },
};

export const idleFresh = serving(({ pid }) => memoryAfter(pid, settleMs));
export const idleFreshWithHistory = serving(({ pid }) => memoryAfter(pid, settleMs), server('--history'));

/** After a hundred edits, one at a time. */
export function memoryAfterEdits(...flags: readonly string[]): Subject {
  return serving(
    async ({ pid, port }) => {
      const connection = await HttpConnection.open(port);
      try {
        for (const each of workloads.edit64Files.requests().slice(0, 100)) await connection.ask(requestBytes(each));
        return await memoryAfter(pid, settleMs);
      } finally {
        connection.close();
      }
    },
    server(...flags),
    workloads.edit64Files,
  );
}

/** 12 s after seconds full of reads, edits and lists. */
export const idleAfterWork: Subject = {
  name: server().name,
  observe: ({ directories, load, measureMs }) =>
    directories.lend(workloads.mixed, async (directory) =>
      withRunning(await start(server(), directory), async ({ pid, url }) => {
        const { name, clients, warmUp, requests } = workloads.mixed;
        const job = { name, clients, warmUp, requests: requests(), servers: [{ url, pid }] };
        await load.run({ ...job, measureMs: workMeasurements * measureMs });
        return memoryAfter(pid, idleMs);
      }),
    ),
};

export const idleBare: Subject = {
  name: idleNode.name,
  observe: () => withRunning(run(idleNode, nowhere), ({ pid }) => memoryAfter(pid, settleMs)),
};

/** From SIGTERM to the end of a server that five clients are keeping busy with edits of 1 MB. */
export const shutdownWhileEditing: Subject = {
  name: server().name,
  observe: ({ directories }) =>
    directories.lend(workloads.edit1MB, async (directory) => {
      const running = await start(server(), directory);
      const clients = Array.from({ length: workloads.edit1MB.clients }, (_, client) => keepBusy(running, client));
      await pause(300);
      const ms = await running.stop();
      await Promise.all(clients);
      return { ms };
    }),
};

/** Send one edit after another until the server is gone. */
async function keepBusy({ port }: Serving, client: number): Promise<void> {
  const { requests, clients } = workloads.edit1MB;
  const connection = await HttpConnection.open(port);
  try {
    for (const request of requests().filter((_, index) => index % clients === client)) {
      await connection.ask(requestBytes(request));
    }
  } catch {
    // The connection was closed or the edit refused: the expected end.
  } finally {
    connection.close();
  }
}

/** Measured on a server that has just given its first answer. */
function serving(
  measure: (serving: Serving) => Promise<Quantities>,
  program = server(),
  work: Pick<Workload, 'files' | 'writes'> = files,
): Subject {
  return {
    name: program.name,
    observe: ({ directories }) =>
      directories.lend(work, async (directory) => withRunning(await start(program, directory), measure)),
  };
}

async function memoryAfter(pid: number, ms: number): Promise<Quantities> {
  await pause(ms);
  const mb = memoryMb(pid);
  return mb === undefined ? {} : { mb };
}
