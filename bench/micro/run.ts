/**
 * `npm run bench:micro`: the hot functions, one file for each, named as the file it is in.
 *
 *   tsx bench/micro/run.ts [part of a name]
 */
import Benchmark from 'benchmark';
import { machine } from '../machine.js';
import { figure, table } from '../table.js';
import * as filename from './filename.js';
import * as jsonBody from './json-body.js';
import * as kernel from './kernel.js';
import * as lineEdits from './line-edits.js';
import * as lines from './lines.js';
import * as lock from './lock.js';
import type { Suite } from './suite.js';
import * as textFile from './text-file.js';
import * as validation from './validation.js';

const files = [textFile, lines, kernel, lineEdits, jsonBody, validation, filename, lock];
const wanted = process.argv[2] ?? '';
/** Seconds for each function: enough for an error of about 2 %. */
const options = { maxTime: 0.5, minSamples: 20 };

console.log(machine());
for (const suite of files.flatMap(({ suites }) => suites)) {
  if (suite.name.includes(wanted)) console.log(`\n${run(suite)}`);
}

function run({ name, variants }: Suite): string {
  const results = Object.entries(variants).map(([variant, work]) => {
    const { hz, stats, error } = new Benchmark(variant, work, options).run();
    // The package declares it as always there.
    if (error as Error | undefined) throw error;
    return { variant, hz, rme: stats.rme };
  });
  const own = results[0]?.hz ?? NaN;
  const rows = results.map(({ variant, hz, rme }) => [
    variant,
    figure(1e6 / hz, 'µs'),
    `± ${rme.toFixed(1)} %`,
    figure(own / hz, '×'),
  ]);
  return table([name, 'time', 'error', 'times ours'], rows);
}
