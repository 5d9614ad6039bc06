/** What the proofs of emulated platforms share: the checks as one program, and a Node built for the platform. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The server of this clone. */
export const cli = resolve('dist/src/cli.cjs');

/** What is fetched once. */
export const cache = resolve('node_modules/.cache/platforms');
/** For the process of the checks: one that hangs must not hold up everything behind it. */
export const bounded = { timeout: 600_000, killSignal: 'SIGKILL' } as const;

const nodeVersion = '20.20.2';

/** A proof that this machine cannot run. */
export class Skipped extends Error {}

/**
 * Lend a folder to a proof and let it say how it went.
 * @param prove in that folder @returns the exit code of the checks
 */
export async function proveIn(name: string, prove: (folder: string) => Promise<number>): Promise<void> {
  const began = performance.now();
  const folder = await realpath(await mkdtemp(join(tmpdir(), `platforms-${name}-`)));
  try {
    process.exitCode = await prove(folder);
    const seconds = Math.round((performance.now() - began) / 1000);
    process.stdout.write(`${name}: ${process.exitCode === 0 ? 'all checks hold' : 'FAILED'}, ${seconds} s\n`);
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    process.stdout.write(`${name}: skipped, ${error.message}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

/**
 * Translate the checks here: esbuild does not run on every platform, or runs slowly.
 * @param names of their files @returns the program
 */
export async function bundleChecks(folder: string, names: readonly string[] = ['all']): Promise<string> {
  const outfile = join(folder, `${names.join('-')}.cjs`);
  const resolveDir = fileURLToPath(new URL('checks', import.meta.url));
  await build({
    stdin: { contents: names.map((name) => `import './${name}.js';`).join('\n'), resolveDir },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // For paths in modules that the checks share with other tests, and do not use.
    define: { 'import.meta.url': '"file:///Z:/not/used"' },
  });
  return outfile;
}

/** Fetch the build of Node that npm has for another platform: npm does not install it here. @returns the executable */
export async function nodeFor(platform: 'win-x64' | 'linux-arm64'): Promise<string> {
  const folder = join(cache, `${platform}-${nodeVersion}`);
  const executable = join(folder, 'package/bin', platform === 'win-x64' ? 'node.exe' : 'node');
  if (existsSync(executable)) return executable;
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(join(cache, 'partial-'));
  try {
    const name = `node-${platform}@${nodeVersion}`;
    await succeed('npm', ['pack', '--silent', '--pack-destination', partial, name], `npm cannot fetch ${name}`);
    const archive = join(partial, `node-${platform}-${nodeVersion}.tgz`);
    await succeed('tar', ['-xzf', archive, '-C', partial], `${archive} cannot be unpacked`);
    await rm(archive);
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return executable;
}

/** @throws Skipped with `otherwise` if the program is not there or fails */
export async function succeed(
  program: string,
  args: readonly string[],
  otherwise: string,
  settings: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore', ...settings });
  const code = await exitOf(child).catch(() => undefined);
  if (code !== 0) throw new Skipped(otherwise);
}

/** @throws if it does not even start */
export async function exitOf(child: ChildProcess): Promise<number | null> {
  await once(child, 'exit');
  return child.exitCode;
}
