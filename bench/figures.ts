/** Defines a figure: a measured quantity, its baseline, and which direction is better. */
import type { Bench } from './bench.js';

/**
 * The results of one measurement. `rate`: per second. `p50`, `p99`: milliseconds of a request. `cpu`: milliseconds of
 * processor time per request, over all threads of the program. `ms`: of a start or shutdown. `mb`: megabytes. `client`:
 * share of a processor that the load generator used; near 1, the generator limited the rate. The others are what
 * subjects/pace.ts measures: milliseconds of a call, of calls on average (`early`: the first fifty of a process, `warm`)
 * of the first one, some time after `initialize` (`thought`), and of one after a pause; `paused`: such a call, in times
 * of one without a pause. `first`, `again`, `changed`: milliseconds of a search, of the same one again, and again after
 * a file has changed; `other`: of another pattern after those (subjects/search.ts).
 */
export type Quantity =
  | 'rate'
  | 'p50'
  | 'p99'
  | 'cpu'
  | 'ms'
  | 'mb'
  | 'client'
  | 'lost'
  | 'first'
  | 'started'
  | 'earlyRead'
  | 'earlyEdit'
  | 'warmRead'
  | 'warmEdit'
  | 'thoughtRead'
  | 'thoughtEdit'
  | 'thoughtList'
  | 'pausedRead'
  | 'pausedEdit'
  | 'pausedList'
  | 'paused'
  | 'again'
  | 'changed'
  | 'other';
export type Quantities = Readonly<Partial<Record<Quantity, number>>>;

/** Something that can be measured: a program running a workload. */
export interface Subject {
  /** Name of the program in the table. */
  readonly name: string;
  /** Why it cannot be measured on this machine. */
  readonly missing?: string | undefined;
  /** One measurement in fresh processes, which have exited when it returns. */
  observe(bench: Bench): Promise<Quantities>;
}

export interface Compare {
  readonly demand: 'at least' | 'at most';
  /** Unit of the result; defaults to the unit of the quantity. */
  readonly unit?: '×';
  /** Undefined if the baseline says that this machine cannot measure it. */
  readonly result: (own: number, baseline: number) => number | undefined;
}

/** For rates. */
export const timesAsMany: Compare = { demand: 'at least', unit: '×', result: (own, baseline) => own / baseline };
/** For times. */
export const timesAsFast: Compare = { demand: 'at least', unit: '×', result: (own, baseline) => baseline / own };
/** For times and memory that cannot beat the baseline and should stay close to it. */
export const timesTheCost: Compare = { demand: 'at most', unit: '×', result: (own, baseline) => own / baseline };
export const above: Compare = { demand: 'at most', result: (own, baseline) => own - baseline };
export const alone: Compare = { demand: 'at most', result: (own) => own };
/** For a time with a limit on any machine that is fast enough: where the baseline takes longer, nothing is measured. */
export const whereBaselineTakes = (mostMs: number): Compare => ({
  demand: 'at most',
  result: (own, baseline) => (baseline > mostMs ? undefined : own),
});

export interface Figure {
  readonly name: string;
  readonly own: Subject;
  readonly baseline?: Subject;
  readonly quantity: Quantity;
  readonly compare: Compare;
}

/** A figure with goals that the project sets itself. */
export interface Row extends Figure {
  readonly must: number;
  readonly aim: number;
}

/** Figures whose subjects are measured in turns, so all of them see the same minutes of the machine. */
export interface Comparison<Each extends Figure = Figure> {
  readonly name: string;
  readonly rounds: number;
  readonly figures: readonly Each[];
}

export function comparison<Each extends Figure>(
  name: string,
  rounds: number,
  figures: readonly Each[],
): Comparison<Each> {
  return { name, rounds, figures };
}

export function figure(name: string, own: Subject, quantity: Quantity, compare: Compare, baseline?: Subject): Figure {
  return { name, own, quantity, compare, ...(baseline === undefined ? {} : { baseline }) };
}

/** The reduced results of a subject's rounds; undefined before it has been measured. */
export type Reduced = (subject: Subject) => Quantities | undefined;

/** The figure as a number; undefined if either side could not be measured. */
export function resultOf({ own, baseline, quantity, compare }: Figure, reduced: Reduced): number | undefined {
  const measured = reduced(own)?.[quantity];
  const beside = baseline === undefined ? NaN : reduced(baseline)?.[quantity];
  return measured === undefined || beside === undefined ? undefined : compare.result(measured, beside);
}

export function unitOf({ compare, quantity }: Figure): string {
  return compare.unit ?? units[quantity];
}

export const units: Readonly<Record<Quantity, string>> = {
  rate: '/s',
  p50: 'ms',
  p99: 'ms',
  cpu: 'ms',
  ms: 'ms',
  mb: 'MB',
  client: '',
  lost: '',
  first: 'ms',
  started: 'ms',
  earlyRead: 'ms',
  earlyEdit: 'ms',
  warmRead: 'ms',
  warmEdit: 'ms',
  thoughtRead: 'ms',
  thoughtEdit: 'ms',
  thoughtList: 'ms',
  pausedRead: 'ms',
  pausedEdit: 'ms',
  pausedList: 'ms',
  paused: '×',
  again: 'ms',
  changed: 'ms',
  other: 'ms',
};

/** Whether a result meets the demand; equality is enough. */
export function reaches({ demand }: Compare, result: number, wanted: number): boolean {
  return demand === 'at least' ? result >= wanted : result <= wanted;
}

/** The reason this figure cannot be measured on this machine; undefined if it can. */
export function missing({ own, baseline }: Figure): string | undefined {
  return own.missing ?? baseline?.missing;
}
