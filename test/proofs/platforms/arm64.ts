/**
 * `npm run prove -- arm64 [options of node]`: the checks of platforms on Node's build for Linux on arm64, whose
 * instructions QEMU translates. The checks themselves run on this machine. Skipped where QEMU or Debian's packages for
 * arm64 cannot be had. The order in which real processors of arm64 see memory is not emulated.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bounded, bundleChecks, cache, cli, exitOf, nodeFor, proveIn, Skipped, succeed } from './emulation.js';
import { targetVariable, type Target } from './target.js';

/** A server takes seconds to start here. The others depend on the file system, not on the processor. */
const files = ['operations', 'history', 'fronts', 'parallel', 'ends'];
const qemu = '/usr/bin/qemu-aarch64-static';

await proveIn('arm64', async (folder) => {
  if (process.arch === 'arm64') throw new Skipped('this machine has one: npm run prove -- platforms');
  if (!existsSync(qemu)) throw new Skipped('there is no qemu-aarch64-static');
  const node = await nodeFor('linux-arm64');
  const target: Target = {
    node: [qemu, '-L', await systemFor(), node],
    cli,
    mandatoryLocks: [],
    slowness: 10,
  };
  const env = { ...process.env, [targetVariable]: JSON.stringify(target) };
  const args = ['--test-reporter=spec', ...process.argv.slice(2), await bundleChecks(folder, files)];
  const code = await exitOf(
    spawn(process.execPath, args, { ...bounded, stdio: ['ignore', 'inherit', 'inherit'], env }),
  );
  return code ?? 1;
});

/**
 * The libraries that Node needs. From lists of packages of their own: this machine is not told that it could run
 * programs for arm64. @returns their root
 */
async function systemFor(): Promise<string> {
  const root = join(cache, 'arm64-system');
  if (existsSync(root)) return root;
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(join(cache, 'partial-'));
  try {
    const lists = join(partial, 'lists');
    const packages = join(partial, 'packages');
    const made = join(partial, 'root');
    for (const directory of [join(lists, 'partial'), packages, made]) await mkdir(directory, { recursive: true });
    const settings = {
      'APT::Architecture': 'arm64',
      'APT::Architectures': 'arm64',
      'APT::Sandbox::User': 'root',
      'Acquire::Languages': 'none',
      'Dir::Cache': partial,
      'Dir::State::Lists': lists,
      'Dir::State::Status': '/dev/null',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const otherwise = 'apt-get cannot fetch libraries for arm64';
    await succeed('apt-get', [...options, '--quiet', 'update'], otherwise);
    const names = ['libc6', 'libgcc-s1', 'libstdc++6'];
    await succeed('apt-get', [...options, '--quiet', 'download', ...names], otherwise, { cwd: packages });
    for (const name of await readdir(packages)) await succeed('dpkg', ['-x', join(packages, name), made], otherwise);
    await rename(made, root);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return root;
}
