/** Starts servers, and lends them to the checks. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../fronts/server-process.js';
import { stdioClient, type Done, type Refused, type Reply } from '../../reliability/client.js';
import { makeDirectory, removeDirectory, type Files } from './files.js';
import { target } from './target.js';

export interface Server {
  /** One call over stdio. */
  call(method: string, params: object): Promise<Reply>;
  /** The result of a call that succeeds. */
  done(method: string, params: object): Promise<Done['result']>;
  /** The error of a call that is refused. */
  refused(method: string, params: object): Promise<Refused>;
  /** Its stderr so far. */
  errors(): string;
  /** No more calls. @returns its exit code, once it has ended by itself */
  end(): Promise<number | null>;
  /** SIGKILL, which is TerminateProcess on Windows. */
  kill(): Promise<void>;
}

/** Most that a machine busy with other work may need for a start. */
const startLimitMs = 30_000 * target.slowness;

/** The default of 10 s is for machines that are not emulated. */
const patience = target.slowness > 1 ? ['--timeout=120'] : [];

interface Settings {
  readonly env?: NodeJS.ProcessEnv;
  /** Of Node. */
  readonly options?: readonly string[];
}

/** A server over stdio that has answered its first call. @throws with its log if it ends before that */
export async function startServer(
  directory: string,
  flags: readonly string[] = [],
  settings: Settings = {},
): Promise<Server> {
  const all = [`--dir=${directory}`, '--transport=stdio', '--toolset=all', ...flags];
  const { child, exited, errors } = launch(all, settings);
  const lines = new EventEmitter<{ line: [string] }>();
  createInterface(child.stdout).on('line', (line) => lines.emit('line', line));
  const { stdin } = child;
  const client = stdioClient({ child, stdin, lines, errors, stop: () => exited });
  const call = async (method: string, params: object): Promise<Reply> => client.call(method, params);
  const first = await Promise.race([call('list_files', {}), sleep(startLimitMs, undefined, { ref: false })]);
  if (first?.kind !== 'done') {
    child.kill('SIGKILL');
    await exited;
    throw new Error(`the server did not start: ${JSON.stringify(first)} ${errors()}`);
  }
  return {
    call,
    errors,
    done: async (method, params) => {
      const reply = await call(method, params);
      if (reply.kind !== 'done') throw new Error(`${method} ${JSON.stringify(params)}: ${JSON.stringify(reply)}`);
      return reply.result;
    },
    refused: async (method, params) => {
      const reply = await call(method, params);
      if (reply.kind !== 'refused') throw new Error(`${method} ${JSON.stringify(params)}: ${JSON.stringify(reply)}`);
      return reply;
    },
    end: async () => {
      stdin.end();
      return exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Lend such a server, and kill it afterwards. */
export async function withServer(directory: string, use: (server: Server) => Promise<void>): Promise<void> {
  const server = await startServer(directory);
  try {
    await use(server);
  } finally {
    await server.kill();
  }
}

/** A server over HTTP that listens. */
export interface HttpServer extends Pick<Server, 'errors' | 'kill'> {
  readonly url: string;
  /** SIGTERM. @returns its exit code */
  stop(): Promise<number | null>;
}

export async function startHttpServer(directory: string, flags: readonly string[] = []): Promise<HttpServer> {
  const port = String(await freePort());
  const { child, exited, errors } = launch([`--dir=${directory}`, `--port=${port}`, '--toolset=all', ...flags]);
  const started = once(createInterface(child.stdout), 'line').then(() => true);
  const isUp = await Promise.race([started, exited.then(() => false), sleep(startLimitMs, false, { ref: false })]);
  if (!isUp) {
    child.kill('SIGKILL');
    await exited;
    throw new Error(`the server did not start: ${errors()}`);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    errors,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** A started program. */
interface Launched {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<number | null>;
  readonly errors: () => string;
}

function launch(flags: readonly string[], { env = {}, options = [] }: Settings = {}): Launched {
  const [program = process.execPath, ...args] = target.node;
  const all = [...args, ...options, target.cli, ...flags, ...patience];
  const child = spawn(program, all, { env: { ...process.env, ...env } });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const exited = once(child, 'exit').then(() => child.exitCode);
  return { child, exited, errors: () => log };
}

/** What a suite has been lent. Its members fail before the suite runs. */
interface Lent {
  readonly directory: string;
  readonly server: Server;
  readonly servers: readonly Server[];
}

/** Lend a directory with a server, or several, to a whole suite. */
export function lendServer(files: Files, flags: readonly string[] = [], count = 1): Lent {
  let directory: string | undefined;
  let servers: readonly Server[] = [];
  before(async () => {
    const made = (directory = makeDirectory(files));
    servers = await Promise.all(Array.from({ length: count }, () => startServer(made, flags)));
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    if (directory !== undefined) removeDirectory(directory);
  });
  return {
    get directory() {
      return given(directory);
    },
    get server() {
      return given(servers[0]);
    },
    get servers() {
      return servers;
    },
  };
}

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the suite has not begun');
  return value;
}

/** Wait for the end of all, so that nothing of a check goes on behind it. @throws the first failure */
export async function allEnded(calls: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(calls);
  await Promise.all(calls);
}
