/** The few figures that a run is reduced to. */

/** The middle value; for an even number, the mean of the two in the middle. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (lower + upper) / 2;
}

/**
 * The smallest value that at least `share` of all values do not exceed (nearest rank: nothing between two measured
 * values is made up). NaN for none.
 * @param share 0.99 for p99
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** Three significant digits, whatever the size. */
export function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}

/** How a cost grows between two amounts of work, as an exponent of the amount: 0 not at all, 1 in proportion. */
export function exponent(from: Growth, to: Growth): number {
  return Math.log(to.cost / from.cost) / Math.log(to.amount / from.amount);
}

interface Growth {
  readonly amount: number;
  readonly cost: number;
}
