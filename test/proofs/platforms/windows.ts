/**
 * `npm run prove -- windows [--rooms] [options of node]`: the checks of platforms and rooms of the suite on Node's build for
 * Windows, in Wine. Wine has Windows' rules of names, of open files and of the ends of processes, but no links, and its
 * locks bind nobody: a preload adds that (mandatory-locks.cjs). Skipped where Wine is not installed.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bounded, bundleChecks, cli, exitOf, nodeFor, proveIn, Skipped, succeed } from './emulation.js';
import { roomsForWine } from './rooms.js';
import { targetVariable, type Target } from './target.js';

const wine = '/usr/lib/wine/wine64';
const wineserver = '/usr/lib/wine/wineserver64';
/** The rooms of the suite take minutes: only if asked for. */
const withRooms = '--rooms';
/** How node runs the rooms. */
const suite = [
  ...['in-wine.mjs', '../../typescript.mjs'].flatMap((file) => ['--import', urlInWine(besides(file))]),
  ...['--test', '--test-concurrency=2', '--test-timeout=240000'],
];

await proveIn('windows', async (folder) => {
  if (!existsSync(wine)) throw new Skipped('there is no wine64');
  const node = await nodeFor('win-x64');
  const checks = await bundleChecks(folder);
  const target: Target = {
    node: [inWine(node)],
    cli: inWine(cli),
    mandatoryLocks: ['--require', inWine(besides('mandatory-locks.cjs'))],
    slowness: 2,
  };
  const env = {
    PATH: process.env['PATH'],
    // Its Windows. Inside the folder, so nothing of it is left.
    WINEPREFIX: join(folder, 'wine'),
    WINEDEBUG: '-all',
    DISPLAY: '',
    // Without it, names are ASCII.
    LC_ALL: 'C.UTF-8',
    // Wine says that it is Windows 7.
    NODE_SKIP_PLATFORM_CHECK: '1',
    [targetVariable]: JSON.stringify(target),
    // The rooms would build it, with esbuild.
    BUILD_IS_FRESH: '1',
    SEED: process.env['SEED'],
  };
  await succeed(wine, ['wineboot', '--init'], 'Wine makes no Windows', { env });
  const given = process.argv.slice(2);
  const options = ['--test-reporter=spec', ...given.filter((option) => option !== withRooms)];
  const tests = given.includes(withRooms) ? await roomsForWine(folder, urlInWine) : [];
  const runs = [
    [...options, inWine(checks)],
    ...(tests.length === 0 ? [] : [[...options, ...suite, ...tests.map(inWine)]]),
  ];
  try {
    let failed = 0;
    for (const args of runs) {
      if ((await runInWine([node, ...args], join(folder, 'output'), env)) !== 0) failed++;
    }
    return failed;
  } finally {
    // It goes by itself, but later, and would write into the folder until then.
    await succeed(wineserver, ['--kill'], 'Wine does not end', { env }).catch(() => undefined);
  }
});

/** Run a program, and print what it says. @returns its exit code */
async function runInWine(args: readonly string[], output: string, env: NodeJS.ProcessEnv): Promise<number | null> {
  // Node in Wine cannot use a pipe of Linux as its output.
  const fd = openSync(output, 'w');
  try {
    return await exitOf(spawn(wine, args, { ...bounded, stdio: ['ignore', fd, fd], env }));
  } finally {
    closeSync(fd);
    process.stdout.write(readFileSync(output, 'utf8'));
  }
}

/** The path of a file that is given by one relative to this. */
function besides(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Wine shows the whole disk as drive Z. */
function inWine(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}

function urlInWine(path: string): string {
  return `file:///Z:${path}`;
}
