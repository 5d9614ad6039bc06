/**
 * `npm test`: the suite, or only the named files, and those in the named folders.
 *
 *   npm test [-- FILES and FOLDERS] [-- OPTIONS of node --test]
 *
 * With `--coverage`, which `npm run coverage` passes, it runs the tests that add coverage, and fails if a room is below
 * its minimum. This takes half as long again, and server memory cannot be measured.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { nodeTest } from './node-test.js';
import { filesOfTests, together, translateAll } from './suite.js';

/** Faults, kills, load, documents, and the fronts beyond the list of cases. */
const addsNoCoverage = /^test\/(?:reliability\/|docs\/|clients\/|\w+\/killed|fronts\/(?!cases|storage|view))/;

/** Unit tests that leave nothing in their process: those of one folder share one. A start takes 0.4 s. */
const sharesProcess = /^test\/(?:access|answers|call|changes|client|commit|config|core|disk|observe|operations|text)\//;

/**
 * A test that hangs is ended after this, in milliseconds. Beside a load of 20 on two cores some processes of the suite
 * take more than five minutes.
 */
const longestTest = 1_800_000;

/** How many starts of Node, one after the other, take as long as the suite does on two cores. */
const startsOfNode = 4_000;

const given = process.argv.slice(2);
const collects = given.includes('--coverage');
const options = given.filter((argument) => argument.startsWith('--') && argument !== '--coverage');
const suite = filesOfTests('test').reverse();
const named = given
  .filter((argument) => !argument.startsWith('--'))
  .flatMap((name) => (name.endsWith('/') ? filesOfTests(name.slice(0, -1)) : [name]));

if (named.length === 0) {
  console.log(`The whole suite takes ${duration()}, and prints each test as it ends.`);
  await translateAll();
}
process.exitCode = await nodeTest(
  [`--test-timeout=${String(longestTest)}`, '--test-concurrency=3', ...options],
  named.length > 0 ? named : processes(),
);
if (collects && process.exitCode === 0) await import('./coverage.js');

/** @returns one file per process */
function processes(): string[] {
  const files = suite.filter((file) => !collects || !addsNoCoverage.test(file));
  return together(files, {
    into: new URL('../node_modules/.cache/tests-of-folders/', import.meta.url),
    process: (file) => (sharesProcess.test(file) ? dirname(file) : file),
    urlOf: (file) => new URL(`../${file}`, import.meta.url).href,
  });
}

function duration(): string {
  const starts = Array.from({ length: 3 }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return performance.now() - began;
  });
  const ms = Math.min(...starts) * startsOfNode * (2 / Math.min(availableParallelism(), 3));
  const minutes = Math.max(1, Math.round(ms / 60_000));
  return minutes > 15
    ? 'more than 15 minutes on a machine as busy as this one'
    : `about ${String(minutes)} minutes here`;
}
