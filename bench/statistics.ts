/** The statistics that a run is reduced to. */

/** The middle value; for an even number, the mean of the middle two. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (lower + upper) / 2;
}

/**
 * The smallest value that at least `share` of all values do not exceed (nearest rank: no interpolation between measured
 * values). NaN for none.
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

/** Growth of a cost between two amounts of work, as an exponent of the amount: 0 is constant, 1 is linear. */
export function exponent(from: Growth, to: Growth): number {
  return Math.log(to.cost / from.cost) / Math.log(to.amount / from.amount);
}

interface Growth {
  readonly amount: number;
  readonly cost: number;
}
