/** Programs as processes of their own: started, asked, ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Program } from './programs.js';

export interface Running {
  readonly pid: number;
  readonly url: string;
  /** Milliseconds from the start of the process until it answered a request. */
  readonly startMs: number;
  /** SIGTERM. @returns milliseconds until the process had ended */
  stop(): Promise<number>;
}

/** Longest wait for a program to start or to end, in milliseconds: a bound, not a figure. */
const patienceMs = 20_000;

/** Start a program on a free port and wait until it answers. @throws if it ends before, with what it said */
export async function start(program: Program, directory: string, answerBytes = 0): Promise<Running> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(process.execPath, program.args(directory, port, answerBytes), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const exited = once(child, 'exit');
  const { pid } = child;
  // All of them print a line when they listen; asking before would only take processor time from the start.
  const ready = once(createInterface({ input: child.stdout }), 'line').then(() => answers(port));
  try {
    const outcome = await Promise.race([ready, exited.then(() => 'ended' as const), timeOut(`${program.name}: start`)]);
    if (outcome === 'ended' || pid === undefined) throw new Error(`${program.name} did not start: ${errors}`);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    pid,
    url: `http://127.0.0.1:${String(port)}`,
    startMs: performance.now() - began,
    stop: async () => {
      const asked = performance.now();
      child.kill('SIGTERM');
      try {
        await Promise.race([exited, timeOut(`${program.name}: end`)]);
      } finally {
        child.kill('SIGKILL');
      }
      return performance.now() - asked;
    },
  };
}

/** Milliseconds that Node takes to run nothing. */
export async function bareNodeMs(): Promise<number> {
  const began = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - began;
}

/** A port that nobody used a moment ago. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function answers(port: number): Promise<void> {
  const asked = request({ host: '127.0.0.1', port, path: '/health', agent: false }).end();
  const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
  response.resume();
}

/** @throws when the patience is at its end; a timer that does not keep the process */
function timeOut(what: string): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => {
      reject(new Error(`${what} took longer than ${String(patienceMs)} ms`));
    }, patienceMs).unref();
  });
}
