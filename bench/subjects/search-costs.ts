/** What searches cost others: memory of the server, and the time of another client's reads. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Quantities, Subject } from '../figures.js';
import { forgetPeak, memoryMb, peakMemoryMb } from '../process-figures.js';
import { withRunning } from '../programs/program.js';
import { server } from '../programs/programs.js';
import { start, type Serving } from '../programs/start.js';
import { percentile } from '../statistics.js';
import { smallFiles } from '../tree.js';
import { read, request } from '../workloads.js';
import { HttpConnection, requestBytes } from './http-connection.js';
import { lines, paramsOf, type Search } from './search.js';

const program = server('--toolset=files,search');
/** By then a new process has collected its start-up garbage. */
const settleMs = 1_000;
const searchingMs = 2_000;
const warmUpReads = 50;
/** Between an answer and the next read. Without pauses, quick reads between searches would outnumber the slow ones. */
const thinkMs = 5;

/** Peak memory above idle, from before the first search until after the last. */
export function memoryOf(searches: readonly Search[]): Subject {
  return serving(async ({ pid, port }) => {
    await pause(settleMs);
    forgetPeak(pid);
    const idle = memoryMb(pid);
    await connected(port, async (connection) => {
      for (const search of searches) await connection.ask(searchBytes(search));
    });
    const peak = peakMemoryMb(pid);
    return idle === undefined || peak === undefined ? {} : { mb: peak - idle };
  });
}

/** Reads of small files, each for the first time, while another client searches the tree without a pause. */
export const readsDuringSearches: Subject = serving(({ port }) =>
  connected(port, (searcher) =>
    connected(port, async (reader) => {
      for (let count = 0; count < warmUpReads; count++) await reader.ask(requestBytes(read(0)));
      await searcher.ask(searchBytes(unlikeOthers(0)));
      const end = performance.now() + searchingMs;
      const searching = searchUntil(end, searcher);
      const times: number[] = [];
      for (let index = 1; performance.now() < end && index < smallFiles; index++) {
        const bytes = requestBytes(read(index));
        const asked = performance.now();
        await reader.ask(bytes);
        times.push(performance.now() - asked);
        await pause(thinkMs);
      }
      await searching;
      return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
    }),
  ),
);

async function searchUntil(end: number, connection: HttpConnection): Promise<void> {
  for (let number = 1; performance.now() < end; number++) await connection.ask(searchBytes(unlikeOthers(number)));
}

/** A search that the server cannot remember: in turn a literal, a regex with one, and a regex without. */
function unlikeOthers(number: number): Search {
  const text = `absent${String(number)}x`;
  const letter = String.fromCharCode('a'.charCodeAt(0) + (number % 26));
  const patterns = [text, String.raw`\w+${text}\b`, `[a-z]+[0-9]{3}[a-z]${letter}`];
  return lines(patterns[number % patterns.length] ?? text);
}

function searchBytes(search: Search): Buffer {
  return requestBytes(request(search.operation, paramsOf(search)));
}

function serving(measure: (serving: Serving) => Promise<Quantities>): Subject {
  return {
    name: program.name,
    observe: async ({ directories: { tree } }) => withRunning(await start(program, tree), measure),
  };
}

async function connected<Result>(port: number, use: (connection: HttpConnection) => Promise<Result>): Promise<Result> {
  const connection = await HttpConnection.open(port);
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}
