/** The figures that perf-budgets.json limits, and how each is made of measurements (meter.ts makes those). */
import type { WorkloadName } from './workloads.js';

/** Whose answer to a load is measured. */
export type Who = 'server' | 'hand-written';

/** Something that is measured in one go: a workload on a program, or a cost of the process. */
export type Subject = `${Who}: ${WorkloadName}` | 'start' | 'shutdown' | 'memory';
/** What a subject yields: milliseconds (`cpu` of a request, `bare` of a start of Node alone) or, as `value`, its own unit. */
export type Quantity = 'p50' | 'p99' | 'cpu' | 'bare' | 'value';

/** The smallest of each quantity that was measured so far. */
export type Best = (subject: Subject, quantity: Quantity) => number | undefined;

export interface Figure {
  readonly of: readonly Subject[];
  readonly from: (best: Best) => number | undefined;
}

function p99(name: WorkloadName): Figure {
  return { of: [`server: ${name}`], from: (best) => best(`server: ${name}`, 'p99') };
}

/** As a multiple of what a yardstick takes, so that the speed of the machine cancels out. */
function relative(quantity: 'cpu' | 'p50', subject: Subject, yardstick: Subject): Figure {
  return { of: [subject, yardstick], from: (best) => ratio(best(subject, quantity), best(yardstick, quantity)) };
}

function ratio(value: number | undefined, yardstick: number | undefined): number | undefined {
  return value === undefined || yardstick === undefined ? undefined : value / yardstick;
}

/** By the names of perf-budgets.json. */
export const figures: Readonly<Record<string, Figure>> = {
  'read 1 KB, 10 clients: p99': p99('read 1 KB'),
  'read 1 KB, 10 clients: CPU, of hand-written': relative('cpu', 'server: read 1 KB', 'hand-written: read 1 KB'),
  'read 1 KB, 10 clients: p50, of hand-written': relative('p50', 'server: read 1 KB', 'hand-written: read 1 KB'),
  'read 100 KB, 10 clients: p99': p99('read 100 KB'),
  'read 1 MB, 10 clients: p99': p99('read 1 MB'),
  'read 1 MB, 10 clients: CPU, of hand-written': relative('cpu', 'server: read 1 MB', 'hand-written: read 1 MB'),
  'list 1000 files: p99': p99('list 1000 files'),
  // Listing by fs.promises takes anything between 50 and 100 ms here: no yardstick.
  'list 1000 files: CPU, of a hand-written read of 1 MB': relative(
    'cpu',
    'server: list 1000 files',
    'hand-written: read 1 MB',
  ),
  'edit 1 MB, 5 clients, 5 files: p99': p99('edit 1 MB'),
  'edit 1 MB, 5 clients, 5 files: CPU, of hand-written': relative(
    'cpu',
    'server: edit 1 MB',
    'hand-written: edit 1 MB',
  ),
  'edit 1 MB, 5 clients, one file: p99': p99('edit 1 MB, one file'),
  'edit 100 KB, 5 server processes, one file: p99': p99('edit 100 KB, 5 servers'),
  'append, alone: p50, of hand-written': relative('p50', 'server: append alone', 'hand-written: append alone'),
  'append, 32 clients, one file: CPU, of 32 files': relative(
    'cpu',
    'server: append, one file',
    'server: append, 32 files',
  ),
  'start until it answers': { of: ['start'], from: (best) => best('start', 'value') },
  'start, of node -e 0': { of: ['start'], from: (best) => ratio(best('start', 'value'), best('start', 'bare')) },
  'shutdown while 5 clients edit 1 MB': { of: ['shutdown'], from: (best) => best('shutdown', 'value') },
  'idle memory above bare Node': { of: ['memory'], from: (best) => best('memory', 'value') },
};
