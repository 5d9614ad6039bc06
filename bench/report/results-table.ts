import { figure, table } from './table.js';
import type { Result, Side } from './results.js';

/** The results of a whole run. */
export interface Run {
  readonly machine: string;
  /** ISO 8601. */
  readonly date: string;
  /** Name of the load generator. */
  readonly load: string;
  readonly results: readonly Result[];
}

const headings = [
  'figure',
  'own',
  'baseline',
  '',
  'ratio',
  'must',
  'aim',
  'reached',
  'CPU own',
  'CPU baseline',
  'load',
];

/** For the terminal. */
export function resultsTable({ load, results }: Run): string {
  const rows = results.map((each) => {
    const { name, own, baseline, result, unit, demand, must, aim, outcome, problem } = each;
    const sign = demand === 'at least' ? '≥' : '≤';
    return [
      name,
      figure(own?.value, own?.unit),
      figure(baseline?.value, baseline?.unit),
      baseline?.name ?? '',
      figure(result, unit),
      `${sign} ${String(must)}`,
      `${sign} ${String(aim)}`,
      outcome === 'not measured' ? `not measured: ${problem ?? 'the system does not report it'}` : outcome,
      cpu(own),
      cpu(baseline),
      clientOf(each),
    ];
  });
  const notes = [
    `HTTP load by ${load}. CPU: processor time of the program per request. load: share of a processor used by the`,
    'generator; above 90 % it limited the rate, and CPU is the better measure.',
  ];
  return `${table(headings, rows)}\n${notes.join('\n')}`;
}

function cpu(side: Side | undefined): string {
  return side?.cpuMs === undefined ? '' : figure(side.cpuMs * 1000, 'µs');
}

/** Of the side where the generator was busier. */
function clientOf({ own, baseline }: Result): string {
  const shares = [own?.client, baseline?.client].filter((share) => share !== undefined);
  return shares.length === 0 ? '' : `${(Math.max(...shares) * 100).toFixed(0)} %`;
}
