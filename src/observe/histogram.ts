/** Histograms, cheap enough for every call, in the form that Prometheus can aggregate. */
export interface Distribution {
  /** Upper bounds of the buckets, inclusive and ascending. */
  readonly bounds: readonly number[];
  /** Per bucket, not cumulative; the last bucket is the overflow. */
  readonly counts: ArrayLike<number>;
  /** Sum of all values. */
  readonly sum: number;
}

/** Counts values per bucket, plus one overflow bucket. */
export class Histogram implements Distribution {
  readonly counts: Float64Array;
  sum = 0;

  constructor(readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    // Most values are in the first buckets, so a linear search beats bisection.
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}
