/**
 * `npm run prove -- windows [options of node]`: the checks of platforms on Node's build for Windows, in Wine. Wine has
 * Windows' rules of names, of open files and of the ends of processes, but no links, and its locks bind nobody: a
 * preload adds that (mandatory-locks.cjs). Skipped where Wine is not installed.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleChecks, cli, exitOf, nodeFor, proveIn, Skipped, succeed } from './emulation.js';
import { targetVariable, type Target } from './target.js';

const wine = '/usr/lib/wine/wine64';
const wineserver = '/usr/lib/wine/wineserver64';

await proveIn('windows', async (folder) => {
  if (!existsSync(wine)) throw new Skipped('there is no wine64');
  const node = await nodeFor('win-x64');
  const checks = await bundleChecks(folder);
  const target: Target = {
    node: [inWine(node)],
    cli: inWine(cli),
    mandatoryLocks: ['--require', inWine(fileURLToPath(new URL('mandatory-locks.cjs', import.meta.url)))],
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
  };
  await succeed(wine, ['wineboot', '--init'], 'Wine makes no Windows', { env });
  // Node in Wine cannot use a pipe of Linux as its output.
  const output = join(folder, 'output');
  const fd = openSync(output, 'w');
  const options = ['--test-reporter=spec', ...process.argv.slice(2)];
  const child = spawn(wine, [node, ...options, inWine(checks)], { stdio: ['ignore', fd, fd], env });
  try {
    const code = await exitOf(child);
    process.stdout.write(readFileSync(output, 'utf8'));
    return code ?? 1;
  } finally {
    closeSync(fd);
    // It goes by itself, but later, and would write into the folder until then.
    await succeed(wineserver, ['--kill'], 'Wine does not end', { env }).catch(() => undefined);
  }
});

/** Wine shows the whole disk as drive Z. */
function inWine(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}
