/** The programs that are compared: this server on both of its listeners, and servers written by hand. */
import { build } from 'esbuild';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Program {
  readonly name: string;
  /** Arguments of Node that make it serve a directory on a port. */
  readonly args: (directory: string, port: number, answerBytes: number) => readonly string[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'dist/src/cli.cjs');
const withoutUws = new URL('../test/fronts/without-uws.mjs', import.meta.url).href;
/** Below the packages, so that what is built there finds them. */
const built = join(root, 'node_modules/.cache/file-editing-server-bench');

/** With default options: every edit is synced to the disk before it is acknowledged. */
export const server: Program = {
  name: 'this server',
  args: (directory, port) => [cli, `--dir=${directory}`, `--port=${String(port)}`, '--log-level=error'],
};

/** As on platforms for which there is no uWebSockets.js. */
export const serverOnNode: Program = {
  name: 'this server, node:http',
  args: (directory, port, bytes) => ['--import', withoutUws, ...server.args(directory, port, bytes)],
};

function baseline(name: string, file: string): Program {
  const args: Program['args'] = (directory, port, bytes) => [join(built, file), directory, String(port), String(bytes)];
  return { name, args };
}

export const handWritten = baseline('hand-written node:http', 'node-http.mjs');
export const constant = baseline('uWebSockets.js, constant', 'uws-constant.mjs');
export const minimal = baseline('minimal node:http', 'minimal.mjs');

/** Build the baselines, so that none of them pays for a TypeScript loader. @throws if the server was not built */
export async function preparePrograms(): Promise<void> {
  await access(cli).catch(() => {
    throw new Error('the server is not built: npm run build');
  });
  await build({
    absWorkingDir: root,
    entryPoints: ['node-http', 'uws-constant', 'minimal'].map((name) => `bench/baselines/${name}.ts`),
    outdir: built,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
}

/** Whether there is a uWebSockets.js for this platform. */
export async function hasUws(): Promise<boolean> {
  return import('uWebSockets.js').then(
    () => true,
    () => false,
  );
}
