/** The contents of perf-budgets.json, and whether figures keep to them. Pure: callers supply the figures. */
import { threeDigits } from './statistics.js';

/** Exactly one of `at_most` and `at_least` is present; the check enforces it. */
export interface Budget {
  readonly at_most?: number;
  readonly at_least?: number;
  /** What the seeds and the specification ask, or else what we want. */
  readonly mark: number;
  /** Why the budget is looser than the mark; present exactly if it is. */
  readonly waived?: string;
  readonly unit: 'ms' | 'MB' | '×';
  /** The figure the budget was derived from. */
  readonly measured: number;
  readonly note?: string;
}

export interface Budgets {
  readonly machine: string;
  /** Day of the measurement, ISO 8601. */
  readonly date: string;
  /** How the budgets were derived and what they measure. */
  readonly how: string;
  readonly figures: Readonly<Record<string, Budget>>;
}

/** Figures by name; undefined for one that this platform cannot measure. */
export type Figures = ReadonlyMap<string, number | undefined>;

export interface Verdict {
  readonly name: string;
  readonly budget: Budget;
  /** The best of all measurements. */
  readonly measured: number | undefined;
  readonly attempts: number;
  readonly outcome: 'kept' | 'missed' | 'not measured';
}

/** How often a figure that misses its budget is measured before it counts as missed. */
export const attempts = 3;

/**
 * Headroom of a budget over the measured figure where the machine has little influence: more than the noise of such
 * figures.
 */
export const headroom = 1 / 3;

/**
 * Judge all figures of the budgets; those that miss are measured again.
 *
 * The noise of a shared machine only makes a figure worse, and rarely three times in a row; a regression shows up every
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
      const figure = figures.get(name);
      if (figure !== undefined) best.set(name, better(budgets[name], best.get(name), figure));
    }
    // A figure that could not be measured once will not be measurable next time.
    open = new Set(
      [...open].filter((name) => figures.get(name) !== undefined && !keeps(budgets[name], best.get(name))),
    );
  }
  return Object.entries(budgets).map(([name, budget]) => {
    const measured = best.get(name);
    const outcome = measured === undefined ? 'not measured' : keeps(budget, measured) ? 'kept' : 'missed';
    return { name, budget, measured, attempts: tried.get(name) ?? 0, outcome };
  });
}

function better(budget: Budget | undefined, before: number | undefined, now: number): number {
  if (before === undefined) return now;
  return budget?.at_least === undefined ? Math.min(before, now) : Math.max(before, now);
}

function keeps({ at_most: most = Infinity, at_least: least = -Infinity }: Budget = none, figure = NaN): boolean {
  return figure <= most && figure >= least;
}

const none: Budget = { unit: '×', measured: NaN, mark: NaN };

/**
 * The same budgets for new measurements. Times depend on the machine, so their budget is the mark. Ratios and memory
 * hardly do, so they get headroom beside the measured figure, within the mark unless that is waived.
 */
export function recorded(budgets: Budgets, figures: Figures, machine: string, date: string): Budgets {
  const renewed = Object.entries(budgets.figures).map(([name, old]): [string, Budget] => {
    const measured = figures.get(name);
    if (measured === undefined) return [name, old];
    return [name, { ...old, ...budgetFor(old, measured), measured: threeDigits(measured) }];
  });
  return { ...budgets, machine, date, figures: Object.fromEntries(renewed) };
}

function budgetFor({ at_least: least, mark, waived, unit }: Budget, measured: number): Partial<Budget> {
  const isWaived = waived !== undefined;
  if (least !== undefined) {
    return { at_least: Math.max(isWaived ? 0 : mark, threeDigits(measured * (1 - headroom))) };
  }
  if (unit === 'ms') return { at_most: mark };
  return { at_most: Math.min(isWaived ? Infinity : mark, threeDigits(measured * (1 + headroom))) };
}

/** Whether what is held is looser than what is asked. */
export function isLooser({ at_most: most = -Infinity, at_least: least = Infinity, mark }: Budget): boolean {
  return most > mark || least < mark;
}

/** @throws with the problem found in the text of perf-budgets.json */
export function parseBudgets(text: string): Budgets {
  const file = JSON.parse(text) as Budgets;
  for (const [name, each] of Object.entries(file.figures)) {
    const { at_most: most, at_least: least, mark, measured, waived } = each;
    const budget = most ?? least ?? NaN;
    if ((most === undefined) === (least === undefined)) throw new Error(`${name}: at_most or at_least, not both`);
    if (!(budget > 0 && measured > 0 && mark > 0))
      throw new Error(`${name}: budget, mark and measured must be numbers above 0`);
    if (isLooser(each) && waived === undefined)
      throw new Error(`${name}: ${String(budget)} is looser than the mark ${String(mark)}: say why in waived`);
    if (!isLooser(each) && waived !== undefined) throw new Error(`${name}: the mark is kept: waived says nothing`);
  }
  return file;
}
