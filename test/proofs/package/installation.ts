/** The package as users get it: packed, and installed in an empty folder. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
const execute = promisify(execFile);

/** Generous: the machine may be busy, and the registry slow. */
const timeout = 300_000;

/** @returns its output. @throws with its output if it fails */
export async function run(cwd: string, command: string, ...args: readonly string[]): Promise<string> {
  // uWebSockets.js is a 96 MB download; these proofs hold without it.
  const env = { ...process.env, npm_config_omit: 'optional', NODE_V8_COVERAGE: '' };
  const { stdout } = await execute(command, args, { cwd, env, timeout, maxBuffer: 10_000_000 });
  return stdout;
}

export interface Packed {
  /** The tarball. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly files: readonly string[];
}

interface PackReport {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** The result of `npm pack`, which includes the build unless `options` have `--ignore-scripts`. */
export async function pack(destination: string, ...options: readonly string[]): Promise<Packed> {
  const printed = await run(root, 'npm', 'pack', '--json', '--silent', `--pack-destination=${destination}`, ...options);
  // Newer npm versions print an object by name, older ones an array; build output may come first.
  const reports = JSON.parse(printed.slice(printed.search(/^[[{]/m))) as Readonly<Record<string, PackReport>>;
  const [report] = Object.values(reports);
  if (report === undefined) throw new Error(`npm pack said: ${printed}`);
  const { filename, size, files } = report;
  return { path: join(destination, filename), size, files: files.map(({ path }) => path) };
}

/** Lend an empty folder. */
export async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'package-')));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A project with these dependencies, and files by name. */
export async function makeProject(
  folder: string,
  dependencies: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
  await run(folder, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...dependencies);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

/**
 * Check or compile a project's tsconfig.json.
 * @param typescript the compiler; this package's own if none is given
 */
export async function compile(
  folder: string,
  name: string,
  compilerOptions: object,
  file: string,
  typescript = join(root, 'node_modules/typescript'),
): Promise<void> {
  const strict = { strict: true, exactOptionalPropertyTypes: true, target: 'es2022', skipLibCheck: false };
  const config = { compilerOptions: { ...strict, noEmit: true, ...compilerOptions }, files: [file] };
  await writeFile(join(folder, name), JSON.stringify(config));
  await run(folder, process.execPath, join(typescript, 'bin/tsc'), '-p', name);
}

export const nodeTypes = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] };
