import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Request } from '../workloads.js';

export interface Place {
  readonly directory: string;
  /** Used by HTTP servers only. */
  readonly port: number;
  /** Size of the answer, for a program that always gives the same one. */
  readonly answerBytes: number;
}

export interface Program {
  readonly name: string;
  /** Node if absent. */
  readonly command?: string;
  readonly args: (place: Place) => readonly string[];
  /** Prints no line when it starts to listen. */
  readonly silent?: true;
  /** Always gives the same answer, of the requested size. */
  readonly constant?: true;
  /** Translates a request to this server into the program's own form; identity if absent. */
  readonly asked?: (request: Request) => Request;
  /** Why it cannot be run on this machine. */
  readonly missing?: string | undefined;
}

/** A process of a program. */
export interface Running {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves to stderr when the process has ended. */
  readonly ended: Promise<string>;
  /** Sends SIGTERM. @returns milliseconds until the process had ended */
  stop(): Promise<number>;
}

/** Longest wait for a program to start or stop, in milliseconds: a bound, not a figure. */
export const patienceMs = 20_000;

/** @throws if it cannot be started at all */
export function run(program: Program, place: Place): Running {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    program.command ?? process.execPath,
    program.args(place),
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const { pid, stdin, stdout } = child;
  if (pid === undefined) throw new Error(`${program.name} did not start`);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  // A write to an ended process fails; its end is reported anyway.
  stdin.on('error', () => undefined);
  const ended = once(child, 'exit').then(() => errors);
  return {
    pid,
    stdin,
    stdout,
    ended,
    stop: async () => {
      const asked = performance.now();
      child.kill('SIGTERM');
      try {
        await inTime(ended, `${program.name}: end`);
      } finally {
        child.kill('SIGKILL');
      }
      return performance.now() - asked;
    },
  };
}

/** @throws on timeout, or if the process ends first */
export async function whileRunning<Result>(running: Running, what: string, result: Promise<Result>): Promise<Result> {
  const over = running.ended.then((errors) => {
    throw new Error(`${what}: the process ended: ${errors}`);
  });
  try {
    return await inTime(Promise.race([result, over]), what);
  } finally {
    over.catch(() => undefined);
  }
}

/** Lend a process. */
export async function withRunning<Each extends Running, Result>(
  running: Each,
  use: (running: Each) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(running);
  } finally {
    await running.stop();
  }
}

async function inTime<Result>(result: Promise<Result>, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${what} took longer than ${String(patienceMs)} ms`));
    }, patienceMs);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}
