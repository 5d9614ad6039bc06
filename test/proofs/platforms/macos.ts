/**
 * `npm run prove -- macos [options of node]`: the checks of platforms where a preload makes the program believe that it
 * is on macOS (darwin.cjs): once with names as Linux has them, and once with those of APFS (folding.cjs). What only
 * macOS itself can show, its system calls, flags and speed, needs `npm run prove -- platforms` there.
 */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bounded, bundleChecks, cli, exitOf, proveIn } from './emulation.js';
import { targetVariable, type Target } from './target.js';

const preload = (name: string): string[] => ['--require', fileURLToPath(new URL(name, import.meta.url))];
const darwin = preload('darwin.cjs');
const volumes = [
  { names: 'that differ in case or Unicode form are two', preloads: darwin, files: ['all'] },
  {
    names: 'that differ in case or Unicode form are one',
    preloads: [...preload('folding.cjs'), ...darwin],
    // What names have to do with. The preload looks at each part of each path, which takes time.
    files: ['operations', 'history', 'parallel', 'spelling', 'names'],
  },
];

await proveIn('macos', async (folder) => {
  const tmp = join(folder, 'tmp');
  await mkdir(tmp);
  let failed = 0;
  for (const { names, preloads, files } of volumes) {
    process.stdout.write(`On a volume where names ${names}:\n`);
    const target: Target = { node: [process.execPath, ...preloads], cli, mandatoryLocks: [], slowness: 1 };
    const env = {
      ...process.env,
      TMPDIR: tmp,
      FOLD_BELOW: tmp,
      FOLD_COMPOSITION: '1',
      [targetVariable]: JSON.stringify(target),
    };
    const checks = await bundleChecks(folder, files);
    // The checks look at the files as the server does.
    const args = [...preloads, '--test-reporter=spec', ...process.argv.slice(2), checks];
    const code = await exitOf(
      spawn(process.execPath, args, { ...bounded, stdio: ['ignore', 'inherit', 'inherit'], env }),
    );
    if (code !== 0) failed = 1;
  }
  return failed;
});
