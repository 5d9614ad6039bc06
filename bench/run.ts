/**
 * `npm run bench`: this server against the baselines of comparisons.ts, all in one run. Every measurement uses fresh
 * processes, the order reverses each round, and the medians of the rounds are reported.
 *
 *   npm run bench -- [--only="part of a name"] [--scaling | --window | --processes] [--record]
 *   npm run bench -- check [options]   the budgets (check.ts)
 *   npm run bench -- micro [options]   single functions (micro/run.ts)
 *
 * The table is printed, and written as JSON and as a chart into bench/results; --record writes both into docs, and the
 * table into docs/benchmarks.md. --only selects comparisons or rows by name. --scaling measures how cost grows with the
 * size of files and directories (scaling.ts), --window how long an edit can overwrite an unseen change
 * (edit-window.ts), --processes the gain of a second process on the same port (processes.ts).
 */
import { parseArgs } from 'node:util';
import { withBench, type Bench } from './bench.js';
import { comparisons } from './comparisons.js';
import { editWindowTable } from './edit-window.js';
import type { Comparison, Row } from './figures.js';
import { loadAverage, machine } from './machine.js';
import { Observations } from './observations.js';
import { processesTable } from './processes.js';
import { preparePrograms } from './programs/prepare.js';
import { keep, markdownTable, recordInDocs } from './report/record.js';
import { resultsTable } from './report/results-table.js';
import { resultOfRow, type Result } from './report/results.js';
import { growthTables, measureGrowth } from './scaling.js';
import { takeTurns } from './turns.js';

const parts: Readonly<Record<string, string>> = { check: './check.js', micro: './micro/run.js' };
const part = parts[process.argv[2] ?? ''];
if (part === undefined) {
  await compare();
} else {
  process.argv.splice(2, 1);
  await import(part);
}

async function compare(): Promise<void> {
  const options = {
    only: { type: 'string', default: '' },
    scaling: { type: 'boolean', default: false },
    window: { type: 'boolean', default: false },
    processes: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  } as const;
  const { only, scaling, window, processes, record: recording } = parseArgs({ options }).values;
  if (recording && only !== '') throw new Error('--record is for the whole table');

  await preparePrograms();
  console.log(`${machine()}; load average ${loadAverage().toFixed(2)}`);
  if (scaling) {
    const tables = growthTables(await withBench(500, 'best', (bench) => measureGrowth(bench, progress)));
    console.log(tables.text);
    if (recording) recordInDocs('growth', `${tables.markdown}\n\n${machine()}; ${today()}.`);
  } else if (window) {
    console.log(await withBench(5_000, 'autocannon', editWindowTable));
  } else if (processes) {
    console.log(await withBench(2_000, 'best', (bench) => processesTable(bench, progress)));
  } else {
    const run = await withBench(1_000, 'best', async (bench) => {
      const results: Result[] = [];
      for (const comparison of chosen(only)) results.push(...(await measure(bench, comparison)));
      return { machine: machine(), date: today(), load: bench.load.name, results };
    });
    console.log(resultsTable(run));
    keep(run, recording ? 'docs' : 'bench/results');
    if (recording) recordInDocs('figures', markdownTable(run));
  }
}

function chosen(only: string): readonly Comparison<Row>[] {
  return comparisons
    .map((each) => ({
      ...each,
      figures: each.figures.filter(({ name }) => each.name.includes(only) || name.includes(only)),
    }))
    .filter(({ figures }) => figures.length > 0);
}

/** A failed comparison is reported in its rows; the others are still worth having. */
async function measure(bench: Bench, comparison: Comparison<Row>): Promise<Result[]> {
  const observations = new Observations();
  let problem: string | undefined;
  const began = performance.now();
  try {
    await takeTurns(comparison, async (subject) => {
      observations.add(subject, await subject.observe(bench));
    });
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
    process.exitCode = 1;
  }
  progress(`${comparison.name}: ${problem ?? 'done'}, ${((performance.now() - began) / 1000).toFixed(0)} s`);
  return comparison.figures.map((row) => resultOfRow(row, observations.medians, problem));
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function progress(what: string): void {
  console.error(what);
}
