/**
 * `npm run bench -- micro`: the hot functions. To add one, add a file to this folder that exports its `suites`, named
 * after the file that contains the function.
 *
 *   npm run bench -- micro [part of a name]
 */
import { readdirSync } from 'node:fs';
import Benchmark from 'benchmark';
import { machine } from '../machine.js';
import { figure, table } from '../report/table.js';
import type { Suite } from './suite.js';

const frame = ['run.ts', 'suite.ts'];
const files = readdirSync(new URL('.', import.meta.url)).filter((name) => !frame.includes(name));
const wanted = process.argv[2] ?? '';
/** Seconds per function: enough for an error of about 2 %. */
const options = { maxTime: 0.5, minSamples: 20 };

console.log(machine());
for (const file of files) {
  const { suites } = (await import(`./${file}`)) as { readonly suites: readonly Suite[] };
  for (const suite of suites) if (suite.name.includes(wanted)) console.log(`\n${run(suite)}`);
}

function run({ name, variants }: Suite): string {
  const results = Object.entries(variants).map(([variant, work]) => {
    const { hz, stats, error } = new Benchmark(variant, work, options).run();
    // The package's types declare it as always present.
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
