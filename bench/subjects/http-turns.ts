import type { Files } from '../files.js';
import type { Subject } from '../figures.js';
import { processorMs } from '../process-figures.js';
import { withRunning, type Program } from '../programs/program.js';
import { start } from '../programs/start.js';
import { median, percentile } from '../statistics.js';
import type { Request } from '../workloads.js';
import { HttpConnection, requestBytes } from './http-connection.js';

/** The requests of a single client, one at a time. */
export interface Turns {
  readonly files: Files;
  readonly writes?: true;
  readonly requests: readonly Request[];
  /** Uncounted warm-up requests; at most 2 s of them. */
  readonly warmUp: number;
  /** Runs on the directory before each request, outside its measured time. */
  readonly before?: (directory: string) => void;
}

/** A program with one client: latency without contention. */
export function httpTurns(program: Program, turns: Turns): Subject {
  return {
    name: program.name,
    missing: program.missing,
    observe: ({ directories, measureMs }) =>
      directories.lend(turns, async (directory) =>
        withRunning(await start(program, directory), async ({ pid, port }) => {
          const connection = await HttpConnection.open(port);
          try {
            const taken = await take(connection, pid, turns, directory, measureMs);
            return { p50: median(taken.times), p99: percentile(taken.times, 0.99), ...cpu(taken) };
          } finally {
            connection.close();
          }
        }),
      ),
  };
}

interface Taken {
  /** Milliseconds of each request. */
  readonly times: readonly number[];
  readonly serverMs: number | undefined;
}

async function take(
  connection: HttpConnection,
  pid: number,
  { requests, warmUp, before }: Turns,
  directory: string,
  measureMs: number,
): Promise<Taken> {
  const prepared = requests.map(requestBytes);
  let index = 0;
  const next = async (): Promise<number> => {
    before?.(directory);
    const request = prepared[index++ % prepared.length] ?? Buffer.alloc(0);
    const asked = performance.now();
    await connection.ask(request);
    return performance.now() - asked;
  };
  const warm = performance.now() + warmUpBoundMs;
  do await next();
  while (index < warmUp && performance.now() < warm);
  const serverBefore = processorMs(pid);
  const times: number[] = [];
  const end = performance.now() + measureMs;
  while (times.length < fewest || performance.now() < end) times.push(await next());
  const serverAfter = processorMs(pid);
  const known = serverBefore !== undefined && serverAfter !== undefined;
  return { times, serverMs: known ? serverAfter - serverBefore : undefined };
}

const warmUpBoundMs = 2_000;
/** A median of fewer is worthless, however long they take. */
const fewest = 3;

function cpu({ times, serverMs }: Taken): { readonly cpu?: number } {
  return serverMs === undefined ? {} : { cpu: serverMs / times.length };
}
