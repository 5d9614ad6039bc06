/** How often a quantity was how large: cheap enough for every call, and what Prometheus adds up and compares. */
export interface Distribution {
  /** Upper bounds of the buckets, each included in its own, ascending. */
  readonly bounds: readonly number[];
  /** In each bucket alone; the last one is for what is above all bounds. */
  readonly counts: ArrayLike<number>;
  /** Of all that was added. */
  readonly sum: number;
}

export class Histogram implements Distribution {
  readonly counts: Float64Array;
  sum = 0;

  constructor(readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    // Most values are in the first buckets: to search from there is faster than to halve.
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}
