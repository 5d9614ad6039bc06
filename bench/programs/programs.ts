/** The compared programs: this server with any flags, hand-written servers, and third-party servers. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serverArguments } from '../../src/packaging/clients/server.js';
import { nginxArguments, nginxCommand } from './nginx.js';
import type { Program } from './program.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cli = join(root, 'dist/src/cli.cjs');
/** Below node_modules, so that built files resolve the packages. */
export const built = join(root, 'node_modules/.cache/file-editing-server-bench');

const withoutUws = await import('uWebSockets.js').then(
  () => undefined,
  () => 'no uWebSockets.js for this platform',
);

/** With default options every edit is synced to disk before it is acknowledged. */
export function server(...flags: readonly string[]): Program {
  return {
    name: ['this server', ...flags].join(' '),
    args: ({ directory, port }) => [cli, `--dir=${directory}`, `--port=${String(port)}`, '--log-level=error', ...flags],
  };
}

const token = 'a-token-of-the-benchmark-with-43-characters';

/** This server with a token for all files, or for those that match; its requests carry it. */
export function serverWithTokens(...paths: readonly string[]): Program {
  const file = join(built, `tokens-${String(paths.length)}.json`);
  const sha256 = createHash('sha256').update(token).digest('hex');
  const member = { name: 'bench', sha256, access: 'write', ...(paths.length === 0 ? {} : { paths }) };
  const plain = server(`--tokens=${file}`);
  return {
    ...plain,
    name: `this server --tokens${paths.length === 0 ? '' : `, ${paths.join(' ')}`}`,
    args: (place) => {
      writeFileSync(file, JSON.stringify({ tokens: [member] }), { mode: 0o600 });
      return plain.args(place);
    },
    asked: (request) => ({ ...request, token }),
  };
}

/** This server with the clock of rename-clock.ts, which writes to `samples`. */
export function withRenameClock(samples: string): Program {
  const clock = pathToFileURL(join(built, 'rename-clock.mjs'));
  clock.searchParams.set('samples', samples);
  const plain = server();
  return { name: 'this server, with a clock', args: (place) => ['--import', clock.href, ...plain.args(place)] };
}

export function stdioServer(...flags: readonly string[]): Program {
  return {
    name: ['this server', ...flags].join(' '),
    args: ({ directory }) => [cli, `--dir=${directory}`, '--transport=stdio', '--log-level=error', ...flags],
  };
}

/** This server with the arguments of the README's configurations. */
export function agentServer(...flags: readonly string[]): Program {
  return {
    name: ['this server, as for an agent', ...flags].join(' '),
    args: ({ directory }) => [cli, ...serverArguments(directory), '--log-level=error', ...flags],
  };
}

function baseline(name: string, file: string, ...options: readonly string[]): Program {
  const script = join(built, `${file}.mjs`);
  return {
    name,
    args: ({ directory, port, answerBytes }) => [script, directory, String(port), String(answerBytes), ...options],
  };
}

export const handWritten = baseline('node:http by hand', 'node-http');
export const constant: Program = {
  ...baseline('uWebSockets.js, a constant', 'uws-constant'),
  constant: true,
  missing: withoutUws,
};

/** Serves files unchanged, by sendfile. */
export const nginx: Program = {
  name: 'nginx, sendfile',
  command: nginxCommand ?? 'nginx',
  args: (place) => nginxArguments(place, built),
  silent: true,
  asked: ({ body }) => {
    const { name } = JSON.parse(body) as { readonly name: string };
    return { method: 'GET', path: `/${name}`, body: '' };
  },
  missing: nginxCommand === undefined ? 'nginx is not installed' : undefined,
};

/** A process that only writes, carefully: files of a fixed size in turn, or one file that grows up to a size. */
export function carefulWriter(work: 'edit' | 'append', files: number, bytes: number): Program {
  return baseline('one careful writer', 'careful-writer', work, String(files), String(bytes));
}

const filesystemServer = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);

/** The MCP server that agents use today, over stdio. It never syncs. */
export const mcpServer: Program = {
  name: 'MCP server-filesystem',
  args: ({ directory }) => [filesystemServer, directory],
};

const ripgrepPath = await import('@vscode/ripgrep').then(
  ({ rgPath }) => rgPath,
  () => undefined,
);

/** A process for each search. Like this server, it gives at most 500 characters of a line. @param args of the search */
export function ripgrep(...args: readonly string[]): Program {
  const always = ['--no-config', '-uuu', '--max-columns=500', '--max-columns-preview'];
  return {
    name: 'ripgrep',
    command: ripgrepPath ?? 'rg',
    args: ({ directory }) => [...always, ...args, directory],
    missing: ripgrepPath === undefined ? 'no ripgrep for this platform' : undefined,
  };
}

export const bareNode: Program = { name: 'node -e 0', args: () => ['-e', '0'] };
export const idleNode: Program = { name: 'bare node, idle', args: () => ['-e', 'setInterval(() => undefined, 1e9)'] };
