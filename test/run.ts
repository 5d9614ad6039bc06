/**
 * `npm test`: the suite, or only the named files, and those in the named folders.
 *
 *   npm test [-- FILES and FOLDERS] [-- OPTIONS of node --test]
 *
 * With `--coverage`, which `npm run coverage` passes, it runs the tests that add coverage, and fails if a room is below
 * its minimum. This takes half as long again, and server memory cannot be measured.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeTest } from './node-test.js';
import { translate } from './translation.mjs';

/** Faults, load, documents, and the fronts beyond the list of cases. */
const addsNoCoverage = /^test\/(?:reliability\/|docs\/|clients\/|fronts\/(?!cases|storage))/;

/** Unit tests that leave nothing in their process: those of one folder share one. A start takes 0.4 s. */
const sharesProcess = /^test\/(?:access|answers|call|client|commit|config|core|disk|observe|operations|text)\//;

const given = process.argv.slice(2);
const collects = given.includes('--coverage');
const options = given.filter((argument) => argument.startsWith('--') && argument !== '--coverage');
const suite = filesIn('test', '.test.ts').sort().reverse();
const named = given
  .filter((argument) => !argument.startsWith('--'))
  .flatMap((name) => (name.endsWith('/') ? filesIn(name.slice(0, -1), '.test.ts') : [name]));

if (named.length === 0) {
  await translate(['src', 'workers', 'bench', 'test'].flatMap((folder) => filesIn(folder, '.ts')));
}
process.exitCode = await nodeTest(
  ['--test-timeout=300000', '--test-concurrency=3', ...options],
  named.length > 0 ? named : processes(suite.filter((file) => !collects || !addsNoCoverage.test(file))),
);
if (collects && process.exitCode === 0) await import('./coverage.js');

/** @returns one file per process; the tests of one folder are imported by a generated file */
function processes(files: readonly string[]): string[] {
  const made = new URL('../node_modules/.cache/tests-of-folders/', import.meta.url);
  mkdirSync(made, { recursive: true });
  const folders = new Map<string, string[]>();
  for (const file of files) {
    const key = sharesProcess.test(file) ? dirname(file) : file;
    folders.set(key, [...(folders.get(key) ?? []), file]);
  }
  return [...folders].map(([folder, tests]) => {
    const [only] = tests;
    if (only !== undefined && tests.length === 1) return only;
    const file = new URL(`${folder.replaceAll('/', '-')}.test.mjs`, made);
    writeFileSync(file, tests.map((test) => `import '${new URL(`../${test}`, import.meta.url).href}';\n`).join(''));
    return fileURLToPath(file);
  });
}

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith(ending));
}
