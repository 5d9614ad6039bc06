/**
 * `npm run bench:check`: the figures of perf-budgets.json are measured; exit code 1 if one misses its budget three times.
 *
 *   tsx bench/check.ts [--record]
 *
 * --record writes what was measured into perf-budgets.json, and the budgets that follow from it (budgets.ts). For a
 * machine that does nothing else.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { check, parseBudgets, recorded, type Budget, type Budgets, type Verdict } from './budgets.js';
import { Directories } from './directory.js';
import { Load } from './load.js';
import { loadAverage, machine } from './machine.js';
import type { Bench } from './measure.js';
import { createMeter } from './meter.js';
import { hasUws, preparePrograms } from './programs.js';
import { figure, table } from './table.js';

const file = new URL('../perf-budgets.json', import.meta.url);
const { values } = parseArgs({ options: { record: { type: 'boolean', default: false } } });

const budgets = parseBudgets(readFileSync(file, 'utf8'));
await preparePrograms();
console.log(`${machine()}; load average ${loadAverage().toFixed(2)}`);
const bench: Bench = { load: new Load(), directories: new Directories(), measureMs: 800 };
const meter = createMeter(bench, (what) => {
  console.error(`measuring ${what}`);
});
try {
  if (values.record) await record(budgets);
  else await enforce(budgets);
} finally {
  bench.load.close();
  bench.directories.remove();
}

async function record(old: Budgets): Promise<void> {
  if (loadAverage() > 0.5) console.error('This machine is not idle: what is recorded now will be too generous.');
  const measured = await meter(new Set(Object.keys(old.figures)));
  const renewed = recorded(old, measured, machine(), new Date().toISOString().slice(0, 10));
  writeFileSync(file, `${JSON.stringify(renewed, null, 2)}\n`);
  const rows = Object.entries(renewed.figures).map(([name, { budget, limit, unit, measured: now }]) => [
    name,
    figure(old.figures[name]?.measured, unit),
    figure(now, unit),
    figure(budget, unit),
    figure(limit, unit),
  ]);
  console.log(table(['figure', 'before', 'measured', 'budget', 'limit'], rows));
}

async function enforce({ figures }: Budgets): Promise<void> {
  const uws = await hasUws();
  if (!uws) console.log('No uWebSockets.js for this platform: only the limits are enforced, on node:http.');
  const verdicts = await check(uws ? figures : limitsOf(figures), meter);
  console.log(table(['figure', 'measured', 'budget', 'limit', 'attempts', ''], verdicts.map(row)));
  const missed = verdicts.filter(({ outcome }) => outcome === 'missed');
  if (missed.length === 0) return;
  console.error(`\n${String(missed.length)} of ${String(verdicts.length)} figures missed their budget.`);
  process.exitCode = 1;
}

function row({ name, budget: { budget, limit, unit }, measured, attempts, outcome }: Verdict): string[] {
  const figures = [figure(measured, unit), figure(budget, unit), figure(limit, unit)];
  return [name, ...figures, String(attempts), outcome];
}

function limitsOf(figures: Readonly<Record<string, Budget>>): Record<string, Budget> {
  const limited = Object.entries(figures).map(([name, each]) => ({ name, each, limit: each.limit }));
  return Object.fromEntries(
    limited.flatMap(({ name, each, limit }) => (limit === undefined ? [] : [[name, { ...each, budget: limit }]])),
  );
}
