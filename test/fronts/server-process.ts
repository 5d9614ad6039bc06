import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export const cli = fileURLToPath(new URL('../../dist/src/cli.cjs', import.meta.url));
const withoutUws = new URL('without-uws.mjs', import.meta.url).href;

/** Options as a library user writes them (maxSize: 1) become flags (--max-size=1). */
export function flags(options: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(options).map(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? flag : `${flag}=${String(value)}`;
  });
}

/** A port that was free a moment ago; the command line does not accept 0. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** A started server program and its output by lines. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** Emits `line` for each line of its stdout. */
  readonly lines: EventEmitter<{ line: [string] }>;
  /** Its stderr so far. */
  errors(): string;
  /** Ask it to end (SIGTERM). @returns its exit code */
  stop(): Promise<number | null>;
}

export function startProgram(
  args: readonly string[],
  settings: { nodeListener?: boolean; env?: NodeJS.ProcessEnv; user?: number } = {},
): ServerProcess & { stdin: NodeJS.WritableStream } {
  const node = settings.nodeListener === true ? ['--import', withoutUws] : [];
  const child = spawn(process.execPath, [...node, cli, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...settings.env },
    ...(settings.user === undefined ? {} : { uid: settings.user, gid: settings.user }),
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const exited = once(child, 'exit');
  return {
    child,
    stdin: child.stdin,
    lines: linesOf(child.stdout),
    errors: () => errors,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      // Windows has no such signal: it ends the process at once, as this test wanted.
      return process.platform === 'win32' && child.signalCode === 'SIGTERM' ? 0 : child.exitCode;
    },
  };
}

/** Split at `\n` only: newer versions of Node's readline also split at U+2028, which JSON may contain. */
function linesOf(output: Readable): EventEmitter<{ line: [string] }> {
  const lines = new EventEmitter<{ line: [string] }>();
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const [last = '', ...whole] = `${rest}${text}`.split('\n').reverse();
    rest = last;
    for (const line of whole.reverse()) lines.emit('line', line);
  });
  return lines;
}

export interface HttpServer extends ServerProcess {
  readonly url: string;
  /** POST JSON. */
  post(path: string, body: unknown): Promise<Response>;
}

/**
 * Start an HTTP server on a free port and wait for its start-up line.
 * @throws with its output if it ends before that
 */
export async function startHttpServer(
  directory: string,
  options: Readonly<Record<string, unknown>> = {},
  settings: { nodeListener?: boolean; user?: number } = {},
): Promise<HttpServer> {
  const port = await freePort();
  const server = startProgram(
    [`--dir=${directory}`, `--port=${String(port)}`, ...flags({ logLevel: 'warn', ...options })],
    settings,
  );
  const started = await Promise.race([
    once(server.lines, 'line').then(() => true),
    once(server.child, 'exit').then(() => false),
  ]);
  if (!started) throw new Error(`the server did not start: ${server.errors()}`);
  const url = `http://127.0.0.1:${String(port)}`;
  return {
    ...server,
    url,
    post: (path, body) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}
