// Builds the bundles if a source is newer than the last build. Imported by the loader of tests, proofs and benchmarks
// (test/typescript.mjs); `npm start`, the compiler and the linter run it first. Plain JavaScript: comparing the times
// takes 20 ms, while tsx would take half a second.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Its mtime is the start of the last complete build. */
const stamp = 'dist/.built';
const generated = [
  'src/call/validation/compiled.js',
  'src/protocols/pages/status-page/compiled.js',
  'src/core/json/kernel.compiled.js',
  'workers/text/kernel.compiled.js',
];

/** Inherited by child processes, so a test run checks once and keeps one build. */
const looked = 'BUILD_IS_FRESH';
if (process.env[looked] === undefined) {
  if (isStale()) build();
  process.env[looked] = '1';
}

function isStale() {
  const built = writtenAt(stamp);
  if ([built, ...generated.map(writtenAt)].includes(undefined)) return true;
  const sources = ['src', 'workers'].flatMap(filesBelow).filter((name) => !name.includes('compiled.'));
  return [...sources, 'package.json', 'esbuild.config.ts', 'kernel.config.ts'].some(
    (name) => (writtenAt(name) ?? 0) >= built,
  );
}

function build() {
  // The build takes some seconds, during which nothing else is printed.
  process.stderr.write('building …\n');
  const tsx = fileURLToPath(import.meta.resolve('tsx/cli'));
  // The build itself must not be part of the coverage.
  const env = { ...process.env, NODE_V8_COVERAGE: '' };
  const build = [tsx, join(root, 'esbuild.config.ts'), '--bundles'];
  const { status } = spawnSync(process.execPath, build, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** In milliseconds since 1970; undefined if the file does not exist. */
function writtenAt(name) {
  return statSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs;
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(folder, entry.parentPath.slice(join(root, folder).length), entry.name));
}
