/**
 * How often a quantity had which size: cheap enough for every call, and in the form that Prometheus can add up and
 * compare.
 */
export interface Distribution {
  /** Upper bounds of the buckets, inclusive and ascending. */
  readonly bounds: readonly number[];
  /** Of each bucket alone; the last one is for what exceeds all bounds. */
  readonly counts: ArrayLike<number>;
  /** Of all values added. */
  readonly sum: number;
}

/** Counts values by their size: one number for each bound, and one for what lies above the last. */
export class Histogram implements Distribution {
  readonly counts: Float64Array;
  sum = 0;

  constructor(readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    // Most values are in the first buckets: a search from there is faster than bisection.
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}
