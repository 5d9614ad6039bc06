/** HTTP servers as processes: start them and wait until they answer. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { patienceMs, run, whileRunning, type Program, type Running } from './program.js';

export interface Serving extends Running {
  readonly url: string;
  readonly port: number;
  /** Milliseconds from process start to the first answer. */
  readonly startMs: number;
}

/**
 * Start a program and wait until it answers.
 * @param sharedPort a port that other processes of the program listen on; a free one if absent
 * @throws with stderr if the process ends first
 */
export async function start(
  program: Program,
  directory: string,
  answerBytes = 0,
  sharedPort?: number,
): Promise<Serving> {
  const port = sharedPort ?? (await freePort());
  const began = performance.now();
  const running = run(program, { directory, port, answerBytes });
  try {
    await whileRunning(running, `${program.name}: start`, listening(program, running, port));
  } catch (error) {
    await running.stop();
    throw error;
  }
  return { ...running, port, url: `http://127.0.0.1:${String(port)}`, startMs: performance.now() - began };
}

/** Do not poll a program that prints a line when it listens: polling would only take processor time from its start. */
async function listening(program: Program, { stdout }: Running, port: number): Promise<void> {
  if (program.silent === true) return connected(port);
  await once(createInterface({ input: stdout }), 'line');
  const asked = request({ host: '127.0.0.1', port, path: '/health', agent: false }).end();
  const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
  response.resume();
}

async function connected(port: number): Promise<void> {
  for (const end = performance.now() + patienceMs; performance.now() < end;) {
    const socket = connect(port, '127.0.0.1');
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (open) return;
    await pause(5);
  }
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
