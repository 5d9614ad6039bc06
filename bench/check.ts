/**
 * `npm run bench -- check`: measures the figures of perf-budgets.json, and exits with code 1 if one misses its budget
 * three times.
 *
 *   npm run bench -- check [--record] [--only="part of a name"]
 *
 * --record writes the measurements into perf-budgets.json, with the budgets derived from them (budgets.ts), and all
 * budgets into docs/benchmarks.md; with --only=none it measures nothing. Run it on an otherwise idle machine.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { withBench, type Bench } from './bench.js';
import { budgetFigures } from './budget-figures.js';
import { check, parseBudgets, recorded, type Budget, type Budgets, type Figures, type Verdict } from './budgets.js';
import { missing, resultOf } from './figures.js';
import { loadAverage, machine } from './machine.js';
import { Observations } from './observations.js';
import { preparePrograms } from './programs/prepare.js';
import { constant } from './programs/programs.js';
import { bound, budgetsTable, recordInDocs } from './report/record.js';
import { figure, table } from './report/table.js';
import { takeTurns } from './turns.js';

const file = new URL('../perf-budgets.json', import.meta.url);
const options = { record: { type: 'boolean', default: false }, only: { type: 'string', default: '' } } as const;
const { values } = parseArgs({ options });

const budgets = parseBudgets(readFileSync(file, 'utf8'));
await preparePrograms();
console.log(`${machine()}; load average ${loadAverage().toFixed(2)}`);
await withBench(1_000, 'autocannon', async (bench) => {
  const measure = meter(bench);
  if (values.record) await record(budgets, measure);
  else await enforce(budgets, measure);
});

/** Measures figures by name on every call; they are computed from everything measured so far. */
function meter(bench: Bench) {
  const observations = new Observations();
  return async (names: ReadonlySet<string>): Promise<Figures> => {
    const results = new Map<string, number | undefined>();
    for (const { name, rounds, figures } of budgetFigures) {
      const wanted = figures.filter((each) => names.has(each.name) && missing(each) === undefined);
      if (wanted.length > 0) console.error(`measuring ${name}`);
      await takeTurns({ rounds, figures: wanted }, async (subject) => {
        observations.add(subject, await subject.observe(bench));
      });
      for (const each of wanted) results.set(each.name, resultOf(each, observations.best));
    }
    return results;
  };
}

async function record(old: Budgets, measure: ReturnType<typeof meter>): Promise<void> {
  if (loadAverage() > 0.5) console.error('This machine is not idle: the recorded budgets will be too generous.');
  const measured = await measure(new Set(Object.keys(chosen(old.figures))));
  const today = new Date().toISOString().slice(0, 10);
  const renewed = measured.size === 0 ? old : recorded(old, measured, machine(), today);
  writeFileSync(file, `${JSON.stringify(renewed, null, 2)}\n`);
  recordInDocs('budgets', budgetsTable(renewed));
  const rows = Object.entries(chosen(renewed.figures)).map(([name, budget]) => [
    name,
    figure(old.figures[name]?.measured, budget.unit),
    figure(budget.measured, budget.unit),
    bound(budget),
    figure(budget.mark, budget.unit),
  ]);
  console.log(table(['figure', 'before', 'measured', 'budget', 'mark'], rows));
}

async function enforce({ figures }: Budgets, measure: ReturnType<typeof meter>): Promise<void> {
  if (constant.missing !== undefined)
    console.log(`${constant.missing}: only marks that are not waived are enforced, on node:http.`);
  const enforced = constant.missing === undefined ? figures : marksOf(figures);
  const verdicts = await check(chosen(enforced), measure);
  console.log(table(['figure', 'measured', 'budget', 'mark', 'attempts', ''], verdicts.map(row)));
  const missed = verdicts.filter(({ outcome }) => outcome === 'missed');
  if (missed.length === 0) return;
  console.error(`\n${String(missed.length)} of ${String(verdicts.length)} figures missed their budget.`);
  process.exitCode = 1;
}

function chosen(figures: Budgets['figures']): Record<string, Budget> {
  return Object.fromEntries(Object.entries(figures).filter(([name]) => name.includes(values.only)));
}

function row({ name, budget, measured, attempts, outcome }: Verdict): string[] {
  const { mark, unit } = budget;
  return [name, figure(measured, unit), bound(budget), figure(mark, unit), String(attempts), outcome];
}

function marksOf(figures: Budgets['figures']): Record<string, Budget> {
  const kept = Object.entries(figures).filter(([, { waived }]) => waived === undefined);
  return Object.fromEntries(
    kept.map(([name, each]) => [
      name,
      { ...each, ...(each.at_least === undefined ? { at_most: each.mark } : { at_least: each.mark }) },
    ]),
  );
}
