import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { flags, startProgram, type ServerProcess } from '../fronts/server-process.js';
import { httpClient, stdioClient, type Client } from './client.js';

export const transports = ['http', 'stdio'] as const;
export type Transport = (typeof transports)[number];

/** A server that is ready. */
export interface Server {
  readonly process: ServerProcess & { readonly stdin: NodeJS.WritableStream };
  /** HTTP only, otherwise empty. */
  readonly url: string;
  /** Milliseconds from its start until it was ready. */
  readonly readyMs: number;
  /** A client with this many connections; always the same client on stdio. */
  connect(connections?: number): Client;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
}

/** Generous: the machine may be busy with other tests. */
const startLimitMs = 60_000;

/**
 * Start a server and wait until it is ready.
 * @throws with its output if it exits first or is not ready within a minute
 */
export async function startServer(
  transport: Transport,
  directory: string,
  options: Readonly<Record<string, unknown>> = {},
  port?: number,
  env: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const began = performance.now();
  const chosen = port ?? (await lastingPort());
  const http = transport === 'http' ? [`--port=${String(chosen)}`] : [];
  const all = { dir: directory, transport, logLevel: 'warn', ...options };
  const program = startProgram([...flags(all), ...http], { env });
  const exited = once(program.child, 'exit');
  const url = transport === 'http' ? `http://127.0.0.1:${String(chosen)}` : '';
  const stdio = transport === 'stdio' ? stdioClient(program) : undefined;
  const ready = stdio === undefined ? once(program.lines, 'line') : stdio.call('list_files', {});
  const outcome = await Promise.race([
    ready.then((answer) => ('kind' in answer && answer.kind !== 'done' ? 'did not answer' : 'ready')),
    exited.then(() => 'ended'),
    sleep(startLimitMs, 'was not ready in time', { ref: false }),
  ]);
  if (outcome !== 'ready') {
    program.child.kill('SIGKILL');
    await exited;
    throw new Error(`the server ${outcome}: ${program.errors()}`);
  }
  return {
    process: program,
    url,
    readyMs: Math.round(performance.now() - began),
    connect: (connections) => stdio ?? httpClient(url, connections),
    kill: async () => {
      program.child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Lend a server of this directory, and kill it afterwards if it is still running. */
export async function withServer(
  transport: Transport,
  directory: string,
  options: Readonly<Record<string, unknown>>,
  use: (server: Server) => Promise<void>,
): Promise<void> {
  const server = await startServer(transport, directory, options);
  try {
    await use(server);
  } finally {
    await server.kill();
  }
}

/**
 * Concurrent test processes use separate port ranges: otherwise one could take a port between another's check and its
 * use.
 */
const processes = 120;
const portsOfEach = 100;
let portsGiven = 0;

/** A free port below the ephemeral range, so it is still free when a server restarts on it. */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + (process.pid % processes) * portsOfEach + (portsGiven++ % portsOfEach);
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => {
        resolve(false);
      });
      probe.listen(port, '127.0.0.1', () => {
        resolve(true);
      });
    });
    if (!free) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/** Names of temporary files of running or killed writes. */
export function temporaryFiles(directory: string): string[] {
  const reserved = join(directory, '.file-editor');
  return existsSync(reserved) ? readdirSync(reserved).filter((name) => name.endsWith('.tmp')) : [];
}

/** Wait up to 5 s until `holds` returns true. @returns whether it did */
export async function eventually(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 500; tries++) {
    if (holds()) return true;
    await sleep(10);
  }
  return holds();
}
