/**
 * What the status page makes of `GET /metrics`: the same text that Prometheus reads, so that the page shows nothing that
 * cannot be watched without it. Runs in browsers; only what this server writes has to be understood.
 */

/** Samples by the name of their figure, each with its labels as they are written. */
export type Figures = ReadonlyMap<string, readonly Sample[]>;

interface Sample {
  readonly labels: string;
  readonly value: number;
}

/** How many values lie below each bound, by bound. */
export type Buckets = ReadonlyMap<number, number>;

export function parseFigures(text: string): Figures {
  const figures = new Map<string, Sample[]>();
  for (const [, name = '', labels = '', value = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    const samples = figures.get(name) ?? [];
    samples.push({ labels, value: Number(value) });
    figures.set(name, samples);
  }
  return figures;
}

/** All samples of a figure whose labels match, added up; 0 if there is none. */
export function sumOf(figures: Figures, name: string, labels = /^/): number {
  const samples = figures.get(name) ?? [];
  return samples.reduce((sum, sample) => (labels.test(sample.labels) ? sum + sample.value : sum), 0);
}

/** The buckets of a histogram, those of all its label sets added up. */
export function bucketsOf(figures: Figures, name: string): Buckets {
  const buckets = new Map<number, number>();
  for (const { labels, value } of figures.get(`${name}_bucket`) ?? []) {
    const [, bound = ''] = /\ble="(.*?)"/.exec(labels) ?? [];
    const le = bound === '+Inf' ? Infinity : Number(bound);
    buckets.set(le, (buckets.get(le) ?? 0) + value);
  }
  return buckets;
}

/**
 * The value below which a share of those lies that came between two looks, as Prometheus estimates it: as if they lay
 * evenly in their bucket.
 * @returns null if none came
 */
export function quantile(share: number, before: Buckets, now: Buckets): number | null {
  const added = [...now]
    .sort(([a], [b]) => a - b)
    .map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)] as const);
  const total = added.at(-1)?.[1] ?? 0;
  if (total <= 0) return null;
  const rank = share * total;
  let [lower, below] = [0, 0];
  for (const [bound, count] of added) {
    if (count >= rank && count > below) {
      return bound === Infinity ? lower : lower + ((bound - lower) * (rank - below)) / (count - below);
    }
    [lower, below] = [bound, count];
  }
  return lower;
}
