/** Where results are kept: as JSON, as a picture, and in the README between marks. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chart } from './chart.js';
import type { Run } from './results-table.js';
import { figure } from './table.js';

const root = new URL('../../', import.meta.url);
const readme = new URL('README.md', root);

/** @param folder below the root of the project */
export function keep(run: Run, folder: string): void {
  const place = new URL(`${folder}/`, root);
  mkdirSync(place, { recursive: true });
  writeFileSync(new URL('bench.json', place), `${JSON.stringify(run, null, 2)}\n`);
  writeFileSync(new URL('bench.svg', place), chart(run));
}

/** Replace what is between two marks in the README. @param mark the name of the place */
export function recordInReadme(mark: string, text: string): void {
  writeFileSync(readme, replaceMarked(readFileSync(readme, 'utf8'), mark, text));
}

/** @throws if there is no such place in the text */
export function replaceMarked(text: string, mark: string, replacement: string): string {
  const [open, close] = [`<!-- ${mark} -->\n`, `<!-- /${mark} -->`];
  const start = text.indexOf(open);
  const end = text.indexOf(close, start);
  if (start === -1 || end === -1) throw new Error(`no place is marked "${mark}"`);
  return `${text.slice(0, start)}${open}${replacement}\n${text.slice(end)}`;
}

/** The table of the README. */
export function markdownTable({ machine, date, load, results }: Run): string {
  const rows = results.map(({ name, own, baseline, result, unit }) => {
    const beside = baseline === undefined ? '' : `${figure(baseline.value, baseline.unit)} (${baseline.name})`;
    const outcome = baseline === undefined ? '' : figure(result, unit);
    return `| ${name} | ${figure(own?.value, own?.unit)} | ${beside} | ${outcome} |`;
  });
  return [
    '| | this server | baseline in the same run | ratio |',
    '|---|---|---|---|',
    ...rows,
    '',
    `${machine}; ${date}; HTTP load by ${load}.`,
  ].join('\n');
}
