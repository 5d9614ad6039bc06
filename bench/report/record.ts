/** Stores results: as JSON, as a picture, and as a table between two marks of docs/benchmarks.md. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Budget, Budgets } from '../budgets.js';
import { chart } from './chart.js';
import type { Run } from './results-table.js';
import type { Result } from './results.js';
import { figure } from './table.js';

const root = new URL('../../', import.meta.url);
const page = new URL('docs/benchmarks.md', root);

/** @param folder below the project root */
export function keep(run: Run, folder: string): void {
  const place = new URL(`${folder}/`, root);
  mkdirSync(place, { recursive: true });
  writeFileSync(new URL('bench.json', place), `${JSON.stringify(run, null, 2)}\n`);
  writeFileSync(new URL('bench.svg', place), chart(run));
}

/** Replace the text between two marks of docs/benchmarks.md. @param mark the name of the pair */
export function recordInDocs(mark: string, text: string): void {
  writeFileSync(page, replaceMarked(readFileSync(page, 'utf8'), mark, text));
}

/** @throws if the text has no such marks */
export function replaceMarked(text: string, mark: string, replacement: string): string {
  const [open, close] = [`<!-- ${mark} -->\n`, `<!-- /${mark} -->`];
  const start = text.indexOf(open);
  const end = text.indexOf(close, start);
  if (start === -1 || end === -1) throw new Error(`no place is marked "${mark}"`);
  return `${text.slice(0, start)}${open}${replacement}\n${text.slice(end)}`;
}

/** The table of docs/benchmarks.md. The last column is the project's own requirement. */
export function markdownTable({ machine, date, load, results }: Run): string {
  const rows = results.map((each) => {
    const { name, own, baseline, result, unit } = each;
    const beside = baseline === undefined ? '' : `${figure(baseline.value, baseline.unit)} (${baseline.name})`;
    const outcome = baseline === undefined ? '' : figure(result, unit);
    return `| ${name} | ${figure(own?.value, own?.unit)} | ${beside} | ${outcome} | ${mark(each)} |`;
  });
  return [
    '| | this server | baseline in the same run | ratio | mark |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    `${machine}; ${date}; HTTP load by ${load}.`,
  ].join('\n');
}

/** The table of docs/benchmarks.md that says what CI holds, what is asked, and why where the two differ. */
export function budgetsTable({ figures }: Budgets): string {
  const rows = Object.entries(figures).map(([name, budget]) => {
    const { at_least: least, mark, unit, waived } = budget;
    const asked = bound(least === undefined ? { at_most: mark, unit } : { at_least: mark, unit });
    const outcome = waived === undefined ? 'met' : `waived: ${waived}`;
    return `| ${name.replaceAll('*', '\\*')} | ${bound(budget)} | ${asked} | ${outcome} |`;
  });
  return ['| figure | CI holds | mark | |', '|---|---|---|---|', ...rows].join('\n');
}

export function bound({ at_most: most, at_least: least, unit }: Pick<Budget, 'at_most' | 'at_least' | 'unit'>): string {
  return least === undefined ? `≤ ${figure(most, unit)}` : `≥ ${figure(least, unit)}`;
}

function mark({ demand, must, outcome }: Result): string {
  const demanded = `${demand === 'at least' ? '≥' : '≤'} ${String(must)}`;
  return outcome === 'missed' ? `${demanded}, **missed**` : demanded;
}
