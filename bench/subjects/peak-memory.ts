/** Memory taken by one large request, relative to the allowance of spec 6. */
import { setTimeout as pause } from 'node:timers/promises';
import { fileText, kilobyte, megabyte } from '../files.js';
import type { Quantities, Subject } from '../figures.js';
import { forgetPeak, memoryMb, peakMemoryMb } from '../process-figures.js';
import { withRunning } from '../programs/program.js';
import { server } from '../programs/programs.js';
import { start } from '../programs/start.js';
import { edit, read } from '../workloads.js';
import { HttpConnection, requestBytes } from './http-connection.js';

const large = 10 * megabyte;
/** Too large for the main thread (src/pool/fast-path.ts). */
const small = 300 * kilobyte;
const work = { files: [large, small], writes: true };
const program = server('--workers=1');
const requests = { read: requestBytes(read(0)), edit: requestBytes(edit(0, large, 1)) };
/** A worker that has served a request has loaded everything it needs. */
const warmUps = { read: requestBytes(read(1)), edit: requestBytes(edit(1, small, 1)) };
const settleMs = 1_000;

/** One request for a file of 10 MB, measured above an idle server with one worker. */
export function peakMemory(operation: keyof typeof requests): Subject {
  return {
    name: program.name,
    observe: ({ directories }) =>
      directories.lend(work, async (directory) =>
        withRunning(await start(program, directory), async ({ pid, port }): Promise<Quantities> => {
          const connection = await HttpConnection.open(port);
          try {
            await connection.ask(warmUps[operation]);
            await pause(settleMs);
            forgetPeak(pid);
            const idle = memoryMb(pid);
            await connection.ask(requests[operation]);
            const peak = peakMemoryMb(pid);
            return idle === undefined || peak === undefined ? {} : { mb: peak - idle };
          } finally {
            connection.close();
          }
        }),
      ),
  };
}

const answerBytes = Buffer.byteLength(JSON.stringify({ content: fileText(large), total_lines: 0 }));

export const readAllowance = allowance('file + answer + 1 MB', large + answerBytes);
export const editAllowance = allowance('old + new + request + 1 MB', 2 * large + requests.edit.length);

function allowance(name: string, bytes: number): Subject {
  return { name, observe: () => Promise.resolve({ mb: bytes / megabyte + 1 }) };
}
