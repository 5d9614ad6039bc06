/** One agent, one call at a time: the first calls of a process, calls in a row, and calls after a pause for thought. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileName, fileText, kilobyte, lineBytes, type Files } from '../files.js';
import type { Quantities, Subject } from '../figures.js';
import { memoryMb } from '../process-figures.js';
import { run, withRunning, type Program } from '../programs/program.js';
import { start } from '../programs/start.js';
import { median } from '../statistics.js';
import { read, thousandFiles } from '../workloads.js';
import { HttpConnection, requestBytes } from './http-connection.js';
import type { Dialect } from './stdio-dialects.js';
import { StdioTalk } from './stdio-talk.js';

/** 200 files of 1 to 40 kB. */
const files: Files = Array.from({ length: 200 }, (_, index) => (1 + ((index * 37) % 40)) * kilobyte);
/** The line that edits change; every file has it. */
const editedLine = 5;
/** By then a server may have given back what it keeps for the next call (spec 1.1: 8 s). */
const pauseMs = 10_000;
/** A model reads the tools and thinks before its first call. */
const thoughtMs = 3_000;
/** So many calls, the first of them, count as those of a new process. */
const early = 50;
/** Then two thousand calls, of which the second half counts as warm. */
const warm = 2_000;

/** The calls of an agent, each of the next file. */
class Agent {
  private readonly versions = new Map<number, number>();
  private reads = 0;
  private edits = 0;

  constructor(
    private readonly dialect: Dialect,
    private readonly directory: string,
    private readonly talk: StdioTalk,
  ) {}

  /** @returns milliseconds, as for the other calls */
  read(): Promise<number> {
    return this.timed(this.dialect.read(this.directory, fileName(this.reads++ % files.length)));
  }

  edit(): Promise<number> {
    const index = (this.edits++ * 7) % files.length;
    const version = this.versions.get(index) ?? 0;
    this.versions.set(index, version + 1);
    const change = { name: fileName(index), line: editedLine, from: lineOf(version), to: lineOf(version + 1) };
    return this.timed(this.dialect.edit(this.directory, [change]));
  }

  list(): Promise<number> {
    return this.timed(this.dialect.list(this.directory));
  }

  /** Reads and edits in turn. @returns their mean times */
  async work(calls: number): Promise<{ readonly read: number; readonly edit: number }> {
    const sums = { read: 0, edit: 0 };
    for (let call = 0; call < calls; call++) sums[call % 2 === 0 ? 'read' : 'edit'] += await this.call(call);
    return { read: sums.read / (calls / 2), edit: sums.edit / (calls / 2) };
  }

  private call(index: number): Promise<number> {
    return index % 2 === 0 ? this.read() : this.edit();
  }

  private async timed(message: Parameters<StdioTalk['ask']>[0]): Promise<number> {
    const asked = performance.now();
    await this.talk.ask(message);
    return performance.now() - asked;
  }
}

/** Give each file a line that no other line equals. */
function prepare(directory: string): void {
  for (const [index, bytes] of files.entries()) {
    const lines = fileText(bytes).split('\n');
    lines[editedLine - 1] = lineOf(0);
    writeFileSync(join(directory, fileName(index)), lines.join('\n'));
  }
}

function lineOf(version: number): string {
  return `Version ${String(version)} of this line`.padEnd(lineBytes - 1, '.');
}

/** Calls without pauses, from the start of the process. */
export function calls(dialect: Dialect): Subject {
  return talking(dialect, async (agent, began) => {
    const first = await agent.read();
    const started = performance.now() - began;
    const { read: earlyRead, edit: earlyEdit } = await agent.work(early);
    await agent.work(warm / 2);
    const { read: warmRead, edit: warmEdit } = await agent.work(warm / 2);
    return { first, started, earlyRead, earlyEdit, warmRead, warmEdit };
  });
}

/** Calls after a pause. */
export function callsAfterPauses(dialect: Dialect): Subject {
  return talking(dialect, async (agent) => {
    await agent.work(early);
    await agent.list();
    await pause(pauseMs);
    const pausedRead = await agent.read();
    await pause(pauseMs);
    const pausedEdit = await agent.edit();
    await pause(pauseMs);
    return { pausedRead, pausedEdit, pausedList: await agent.list() };
  });
}

/** The first call of a process, once a model has read the list of tools and thought; a process for each kind. */
export function callsAfterThought(dialect: Dialect): Subject {
  const kinds = { thoughtRead: 'read', thoughtEdit: 'edit', thoughtList: 'list' } as const;
  return {
    name: dialect.program.name,
    observe: async (bench) => {
      const times: Record<string, number> = {};
      for (const [quantity, kind] of Object.entries(kinds)) {
        const first = talking(dialect, async (agent) => {
          await pause(thoughtMs);
          return { [quantity]: await agent[kind]() };
        });
        Object.assign(times, await first.observe(bench));
      }
      return times;
    },
  };
}

/** Memory after a hundred calls, ten a second. @param laterMs how long after them */
export function memoryAtPace(dialect: Dialect, laterMs: number): Subject {
  return talking(dialect, async (agent, _began, pid) => {
    for (let ten = 0; ten < 10; ten++) {
      for (let call = 0; call < 10; call += 2) {
        await agent.work(2);
        await pause(200);
      }
    }
    await pause(laterMs);
    const mb = memoryMb(pid);
    return mb === undefined ? {} : { mb };
  });
}

/** Reads over HTTP on a connection that is kept open: the first one, and one after a pause. */
export function callsOverHttp(program: Program): Subject {
  return {
    name: program.name,
    missing: program.missing,
    observe: ({ directories }) =>
      directories.lend({ files: thousandFiles }, async (directory) =>
        withRunning(await start(program, directory, kilobyte), async ({ port }) => {
          const connection = await HttpConnection.open(port);
          let next = 0;
          const ask = async (): Promise<number> => {
            const request = requestBytes(read(next++ % thousandFiles.length));
            const asked = performance.now();
            await connection.ask(request);
            return performance.now() - asked;
          };
          try {
            const first = await ask();
            const times: number[] = [];
            while (times.length < warm) times.push(await ask());
            // Connections may end after ten idle seconds (spec 7).
            await pause(pauseMs - 500);
            const pausedRead = await ask();
            return { first, pausedRead, paused: pausedRead / median(times.slice(warm / 2)) };
          } finally {
            connection.close();
          }
        }),
      ),
  };
}

function talking(
  dialect: Dialect,
  measure: (agent: Agent, began: number, pid: number) => Promise<Quantities>,
): Subject {
  const { program, handshake } = dialect;
  return {
    name: program.name,
    observe: ({ directories }) =>
      directories.lend({ files, writes: true }, async (directory) => {
        prepare(directory);
        const began = performance.now();
        return withRunning(run(program, { directory, port: 0, answerBytes: 0 }), async (running) => {
          const talk = new StdioTalk(running);
          await handshake(talk);
          return measure(new Agent(dialect, directory, talk), began, running.pid);
        });
      }),
  };
}
