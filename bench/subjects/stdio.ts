/** Programs that a client starts and talks to over stdio. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileName, fileText, kilobyte, lineBytes, type Files } from '../files.js';
import type { Quantities, Subject } from '../figures.js';
import { processorMs } from '../process-figures.js';
import { run, withRunning, type Running } from '../programs/program.js';
import { median, percentile } from '../statistics.js';
import type { Dialect, Replace } from './stdio-dialects.js';
import { StdioTalk } from './stdio-talk.js';

/** Reads of all files in turn. @param inFlight number of concurrent reads */
export function stdioReads(dialect: Dialect, files: Files, inFlight: number): Subject {
  return talkSubject(dialect, { files }, async ({ talk, running, directory }, measureMs) => {
    let next = 0;
    const read = async (most: number, ms: number): Promise<number> => {
      const end = performance.now() + ms;
      let count = 0;
      const client = async (): Promise<void> => {
        for (; count < most && performance.now() < end; count++) {
          await talk.ask(dialect.read(directory, fileName(next++ % files.length)));
        }
      };
      await Promise.all(Array.from({ length: inFlight }, client));
      return count;
    };
    await read(warmUpReads, warmUpBoundMs);
    const [clientBefore, serverBefore] = [process.cpuUsage(), processorMs(running.pid)];
    const began = performance.now();
    const count = await read(Infinity, measureMs);
    const took = performance.now() - began;
    const { user, system } = process.cpuUsage(clientBefore);
    const client = (user + system) / 1000 / took;
    return { rate: (count / took) * 1000, client, ...cpu(running, serverBefore, count) };
  });
}

/**
 * Each server is several times slower until its JIT compilers are done, which takes a second on a slow processor: with
 * a warm-up of 250 ms the same code had 3.3 to 8.3 times the rate of the MCP server in twelve runs, with 1 s 8.1 to 9.8
 * in six.
 */
const warmUpReads = 20_000;
const warmUpBoundMs = 2_000;

/** Sequential edits of one file: each replaces lines spread over it. */
export function stdioEdits(dialect: Dialect, bytes: number, lines = 1): Subject {
  const apart = Math.floor(bytes / lineBytes / (lines + 1));
  const places = Array.from({ length: lines }, (_, index) => apart * (index + 1));
  const version = (number: number, line: number): string =>
    `Line ${String(line)} of version ${String(number)}`.padEnd(lineBytes - 1, '.');
  return talkSubject(dialect, { files: [bytes], writes: true }, async ({ talk, running, directory }, measureMs) => {
    const text = fileText(bytes).split('\n');
    for (const line of places) text[line - 1] = version(0, line);
    writeFileSync(join(directory, fileName(0)), text.join('\n'));
    let last = 0;
    const next = async (): Promise<number> => {
      const number = ++last;
      const changes = places.map((line): Replace => {
        return { name: fileName(0), line, from: version(number - 1, line), to: version(number, line) };
      });
      const asked = performance.now();
      await talk.ask(dialect.edit(directory, changes));
      return performance.now() - asked;
    };
    while (last < warmUpEdits) await next();
    const serverBefore = processorMs(running.pid);
    const times: number[] = [];
    for (const end = performance.now() + measureMs; performance.now() < end;) times.push(await next());
    return { p50: median(times), p99: percentile(times, 0.99), ...cpu(running, serverBefore, times.length) };
  });
}

const warmUpEdits = 20;

/** Concurrent edits of one file, each of a different line: the number of acknowledged ones missing from the file. */
export function stdioLostEdits(dialect: Dialect, count: number): Subject {
  return talkSubject(dialect, { files: [0], writes: true }, async ({ talk, directory }) => {
    const path = join(directory, fileName(0));
    const original = (index: number): string => `Line ${String(index)} as it was.`;
    const indexes = Array.from({ length: count }, (_, index) => index);
    writeFileSync(path, indexes.map((index) => `${original(index)}\n`).join(''));
    const change = (index: number): Replace => {
      return { name: fileName(0), line: index + 1, from: original(index), to: `Edited line ${String(index)}.` };
    };
    await Promise.all(indexes.map((index) => talk.ask(dialect.edit(directory, [change(index)]))));
    const kept = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('Edited'));
    return { lost: count - kept.length };
  });
}

/** From process start to the answer that reports it is ready. */
export function stdioStart({ program, handshake }: Dialect): Subject {
  return {
    name: program.name,
    observe: ({ directories }) =>
      directories.lend({ files: [kilobyte] }, async (directory) => {
        const began = performance.now();
        return withRunning(run(program, { directory, port: 0, answerBytes: 0 }), async (running) => {
          await handshake(new StdioTalk(running));
          return { ms: performance.now() - began };
        });
      }),
  };
}

/** A program that has answered the handshake. */
export interface Talking {
  readonly talk: StdioTalk;
  readonly running: Running;
  readonly directory: string;
}

export function talkSubject(
  { program, handshake }: Dialect,
  work: { readonly files: Files; readonly writes?: true },
  measure: (talking: Talking, measureMs: number) => Promise<Quantities>,
): Subject {
  return {
    name: program.name,
    observe: ({ directories, measureMs }) =>
      directories.lend(work, (directory) =>
        withRunning(run(program, { directory, port: 0, answerBytes: 0 }), async (running) => {
          const talk = new StdioTalk(running);
          await handshake(talk);
          return measure({ talk, running, directory }, measureMs);
        }),
      ),
  };
}

function cpu({ pid }: Running, before: number | undefined, requests: number): { readonly cpu?: number } {
  const after = processorMs(pid);
  return before === undefined || after === undefined ? {} : { cpu: (after - before) / requests };
}
