/** How the cost of an operation grows with the size of the file, or with the number of files. */
import type { Bench } from './bench.js';
import { files, kilobyte, lineBytes, megabyte } from './files.js';
import { server } from './programs/programs.js';
import { figure, table } from './report/table.js';
import { exponent } from './statistics.js';
import { httpTurns, type Turns } from './subjects/http-turns.js';
import { edit, read, request, type Request } from './workloads.js';

export interface Step {
  readonly label: string;
  /** Bytes or files. */
  readonly amount: number;
  /** Median milliseconds of one request, and its processor time. */
  readonly ms: number;
  readonly cpuMs: number | undefined;
}

interface Growing {
  readonly name: string;
  readonly steps: readonly Step[];
}

const sizes = [kilobyte, 10 * kilobyte, 100 * kilobyte, megabyte, 10 * megabyte, 100 * megabyte];
const counts = [10, 100, 1000, 10_000, 100_000];
/** No read is answered from memory, and the largest ones may take long. */
const program = server('--max-size=100', '--cache-mb=0', '--timeout=60');

/** One server for each step, one request at a time. @param onProgress receives the name of the next step */
export async function measureGrowth(bench: Bench, onProgress: (what: string) => void): Promise<Growing[]> {
  const growing: Growing[] = [];
  for (const [name, requests] of Object.entries(operations)) {
    const turns = sizes.map((bytes): [string, number, Turns] => {
      return [sizeLabel(bytes), bytes, { files: [bytes], writes: true, requests: requests(bytes), warmUp: 5 }];
    });
    growing.push(await steps(name, turns));
  }
  const lists = counts.map((count): [string, number, Turns] => {
    const label = `${count.toLocaleString('en-US')} files`;
    return [label, count, { files: files(count, 100), writes: true, requests: [request('list_files', {})], warmUp: 2 }];
  });
  return [...growing, await steps('list, nothing changed', lists)];

  async function steps(name: string, all: readonly [string, number, Turns][]): Promise<Growing> {
    const result: Step[] = [];
    for (const [label, amount, turns] of all) {
      onProgress(`${name}, ${label}`);
      const { p50 = NaN, cpu } = await httpTurns(program, turns).observe(bench);
      result.push({ label, amount, ms: p50, cpuMs: cpu });
    }
    return { name, steps: result };
  }
}

const operations: Readonly<Record<string, (bytes: number) => readonly Request[]>> = {
  read: () => [read(0)],
  'window of 10 lines': (bytes) => {
    const last = Math.max(1, Math.floor(bytes / lineBytes) - 9);
    return Array.from({ length: 100 }, (_, index) => {
      const start = 1 + ((index * 104_729) % last);
      return read(0, { start_line: start, end_line: start + 9 });
    });
  },
  'edit of a line': (bytes) => Array.from({ length: 100 }, (_, version) => edit(0, bytes, version)),
};

/** For the terminal and for docs/benchmarks.md: time, processor time and the exponent relative to the previous step. */
export function growthTables(growing: readonly Growing[]): { readonly text: string; readonly markdown: string } {
  const rows = growing.flatMap(({ name, steps }) =>
    steps.map((step, index) => [
      index === 0 ? name : '',
      step.label,
      figure(step.ms, 'ms'),
      figure(step.cpuMs, 'ms'),
      power(steps[index - 1], step, ({ ms }) => ms),
      power(steps[index - 1], step, ({ cpuMs }) => cpuMs),
    ]),
  );
  const headings = ['operation', 'amount', 'p50', 'CPU', 'exponent of p50', 'of CPU'];
  const markdown = growing.map(({ name, steps }) => {
    const cells = steps.map((step, index) => {
      const grown = power(steps[index - 1], step, ({ ms }) => ms);
      return `${step.label}: ${figure(step.ms, 'ms')}${grown === '' ? '' : ` (${grown})`}`;
    });
    return `| ${name} | ${cells.join(' · ')} |`;
  });
  return {
    text: table(headings, rows),
    markdown: [
      '| operation | p50 of one client (exponent of the growth since the step before) |',
      '|---|---|',
      ...markdown,
    ].join('\n'),
  };
}

function power(before: Step | undefined, step: Step, cost: (step: Step) => number | undefined): string {
  if (before === undefined) return '';
  const result = exponent(
    { amount: before.amount, cost: cost(before) ?? NaN },
    { amount: step.amount, cost: cost(step) ?? NaN },
  );
  return Number.isFinite(result) ? result.toFixed(2) : '-';
}

function sizeLabel(bytes: number): string {
  return bytes >= megabyte ? `${String(bytes / megabyte)} MB` : `${String(bytes / kilobyte)} KB`;
}
