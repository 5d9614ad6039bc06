/**
 * Reads `GET /metrics` for the status page: the same text as for Prometheus, so the page shows nothing that cannot be
 * monitored without it. Runs in browsers; only has to understand the output of this server.
 */

/** Samples by metric name, each with its labels as written. */
export type Figures = ReadonlyMap<string, readonly Sample[]>;

interface Sample {
  readonly labels: string;
  readonly value: number;
}

/** Cumulative counts by bucket bound. */
type Buckets = ReadonlyMap<number, number>;

/** The samples of a Prometheus text, by metric name. */
export function parseFigures(text: string): Figures {
  const figures = new Map<string, Sample[]>();
  for (const [, name = '', labels = '', value = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    const samples = figures.get(name) ?? [];
    samples.push({ labels, value: Number(value) });
    figures.set(name, samples);
  }
  return figures;
}

/** The sum of all samples of a figure with matching labels; 0 if there is none. */
export function sumOf(figures: Figures, name: string, labels = /^/): number {
  const samples = figures.get(name) ?? [];
  return samples.reduce((sum, sample) => (labels.test(sample.labels) ? sum + sample.value : sum), 0);
}

/** The value of a label; empty if it is absent. Only names of callers are escaped, which the page does not read. */
export function labelOf(labels: string, name: string): string {
  return new RegExp(`(?:^|,)${name}="(.*?)"`).exec(labels)?.[1] ?? '';
}

/** The buckets of a histogram, added up over all label sets. */
export function bucketsOf(figures: Figures, name: string): Buckets {
  const buckets = new Map<number, number>();
  for (const { labels, value } of figures.get(`${name}_bucket`) ?? []) {
    const bound = labelOf(labels, 'le');
    const le = bound === '+Inf' ? Infinity : Number(bound);
    buckets.set(le, (buckets.get(le) ?? 0) + value);
  }
  return buckets;
}

/**
 * A quantile of the values that arrived between two polls, estimated as in Prometheus: values are spread evenly over
 * their bucket.
 * @returns null if none arrived
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
