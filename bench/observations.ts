import type { Quantities, Quantity, Reduced, Subject } from './figures.js';
import { median } from './statistics.js';

/** The measurements of all rounds, by subject. */
export class Observations {
  private readonly seen = new Map<Subject, Quantities[]>();

  add(subject: Subject, quantities: Quantities): void {
    this.seen.set(subject, [...(this.seen.get(subject) ?? []), quantities]);
  }

  /** The typical result, for each quantity separately. */
  readonly medians: Reduced = (subject) => this.reduce(subject, (_quantity, values) => median(values));

  /** The undisturbed result: other work of the machine makes every quantity worse. */
  readonly best: Reduced = (subject) =>
    this.reduce(subject, (quantity, values) => (quantity === 'rate' ? Math.max(...values) : Math.min(...values)));

  private reduce(
    subject: Subject,
    by: (quantity: Quantity, values: readonly number[]) => number,
  ): Quantities | undefined {
    const all = this.seen.get(subject);
    if (all === undefined) return undefined;
    const quantities = new Set(all.flatMap((each) => Object.keys(each) as Quantity[]));
    return Object.fromEntries(
      [...quantities].map((quantity) => {
        const values = all.map((each) => each[quantity]).filter((value) => value !== undefined);
        return [quantity, by(quantity, values)];
      }),
    );
  }
}
