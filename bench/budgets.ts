/**
 * What perf-budgets.json says and whether figures keep to it. Of every figure less is better. Pure: whoever calls
 * brings the figures.
 */
import { threeDigits } from './statistics.js';

export interface Budget {
  /** What the seeds demand, whatever the machine; absent where they say nothing. */
  readonly limit?: number;
  /** The check fails above it. Never above the limit. */
  readonly budget: number;
  readonly unit: 'ms' | 'MB' | '×';
  /** The figure from which the budget was set. */
  readonly measured: number;
  readonly note: string;
}

export interface Budgets {
  readonly machine: string;
  /** Day of the measurement, ISO 8601. */
  readonly date: string;
  /** How the budgets were set and what is measured. */
  readonly how: string;
  readonly figures: Readonly<Record<string, Budget>>;
}

/** Figures by name; undefined for one that this platform cannot measure. */
export type Figures = ReadonlyMap<string, number | undefined>;

export interface Verdict {
  readonly name: string;
  readonly budget: Budget;
  /** The best that was measured. */
  readonly measured: number | undefined;
  readonly attempts: number;
  readonly outcome: 'kept' | 'missed' | 'not measured';
}

/** A figure that misses its budget is measured so often before it counts as missed. */
export const attempts = 3;

/**
 * The share that a budget leaves above the measured figure where the machine has no part in it: above the noise of
 * such figures, below a regression of a third.
 */
export const headroom = 0.3;

/**
 * Judge all figures of the budgets; those that miss are measured again.
 *
 * Noise of a shared machine only ever adds to a figure, and rarely three times in a row; a regression is there each
 * time. So the best attempt counts.
 * @param measure called with the names to measure: first all, then those that missed
 */
export async function check(
  budgets: Readonly<Record<string, Budget>>,
  measure: (names: ReadonlySet<string>) => Promise<Figures>,
): Promise<Verdict[]> {
  const best = new Map<string, number>();
  const tried = new Map<string, number>();
  let open: ReadonlySet<string> = new Set(Object.keys(budgets));
  for (let attempt = 1; attempt <= attempts && open.size > 0; attempt++) {
    const figures = await measure(open);
    for (const name of open) {
      tried.set(name, attempt);
      best.set(name, Math.min(best.get(name) ?? Infinity, figures.get(name) ?? Infinity));
    }
    // What could not be measured once will not be the next time: it is not tried again.
    open = new Set([...open].filter((name) => figures.get(name) !== undefined && !keeps(name)));
  }
  return Object.entries(budgets).map(([name, budget]) => {
    const figure = best.get(name) ?? Infinity;
    const measured = figure === Infinity ? undefined : figure;
    const outcome = measured === undefined ? 'not measured' : keeps(name) ? 'kept' : 'missed';
    return { name, budget, measured, attempts: tried.get(name) ?? 0, outcome };
  });

  function keeps(name: string): boolean {
    return (best.get(name) ?? Infinity) <= (budgets[name]?.budget ?? -Infinity);
  }
}

/**
 * The same budgets for what was measured just now. A time depends on the machine, so its budget is the limit of the
 * seeds; ratios and memory do not, and get the headroom above the measured figure, but never more than the limit.
 */
export function recorded(budgets: Budgets, figures: Figures, machine: string, date: string): Budgets {
  const renewed = Object.entries(budgets.figures).map(([name, old]): [string, Budget] => {
    const measured = figures.get(name);
    if (measured === undefined) return [name, old];
    const budget = old.unit === 'ms' ? (old.limit ?? old.budget) : budgetFor(measured, old.limit);
    return [name, { ...old, budget, measured: threeDigits(measured) }];
  });
  return { ...budgets, machine, date, figures: Object.fromEntries(renewed) };
}

function budgetFor(measured: number, limit = Infinity): number {
  return Math.min(limit, threeDigits(measured * (1 + headroom)));
}

/** @throws with what is wrong in the text of perf-budgets.json */
export function parseBudgets(text: string): Budgets {
  const file = JSON.parse(text) as Budgets;
  for (const [name, { limit = Infinity, budget, measured }] of Object.entries(file.figures)) {
    if (!(budget > 0 && measured > 0)) throw new Error(`${name}: budget and measured must be numbers above 0`);
    if (budget > limit) throw new Error(`${name}: the budget ${String(budget)} is above the limit ${String(limit)}`);
  }
  return file;
}
