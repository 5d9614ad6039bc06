/**
 * A strict reader of Prometheus's text format 0.0.4. Beyond the format it requires help and type for each family,
 * contiguous samples, counters that end in _total, and consistent histograms.
 */
import assert from 'node:assert/strict';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly samples: readonly Sample[];
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;

/** Families by name. @throws AssertionError, naming the line */
export function readExposition(text: string): ReadonlyMap<string, Family> {
  assert.ok(text.endsWith('\n') && !text.includes('\r'), 'lines end with line feeds');
  const families = new Map<string, { type: string; samples: Sample[] }>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      assert.ok(metricName.test(name) && !helped.has(name), line);
      helped.add(name);
    } else if (kind === 'TYPE') {
      assert.ok(helped.has(name) && !families.has(name), line);
      assert.ok(['counter', 'gauge', 'histogram'].includes(rest), line);
      assert.equal(rest === 'counter', name.endsWith('_total'), line);
      families.set(name, { type: rest, samples: [] });
      current = name;
    } else {
      const sample = readSample(line);
      const family = families.get(current);
      assert.ok(family !== undefined, line);
      const suffix = sample.name.slice(current.length);
      const suffixes = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      assert.ok(sample.name.startsWith(current) && suffixes.includes(suffix), line);
      const key = keyOf(sample);
      assert.ok(!seen.has(key), `twice: ${line}`);
      seen.add(key);
      if (family.type === 'counter') assert.ok(sample.value >= 0, line);
      family.samples.push(sample);
    }
  }
  for (const [name, { type, samples }] of families) if (type === 'histogram') checkHistogram(name, samples);
  assert.deepEqual([...helped], [...families.keys()]);
  return families;
}

/** The one sample of this name with these labels. @throws AssertionError if there is none */
export function valueOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number {
  const wanted = keyOf({ name, labels });
  for (const { samples } of families.values()) {
    const found = samples.find((sample) => keyOf(sample) === wanted);
    if (found !== undefined) return found.value;
  }
  assert.fail(`no ${wanted}`);
}

function readSample(line: string): Sample {
  const [, name = '', inBraces, number = ''] = sampleLine.exec(line) ?? assert.fail(`no sample: ${line}`);
  assert.match(number, /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]Inf|NaN)$/i, line);
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (inBraces !== undefined && label.lastIndex < inBraces.length) {
    const [, key = '', value = '', end] = label.exec(inBraces) ?? assert.fail(`no label: ${line}`);
    assert.ok(!(key in labels), line);
    assert.ok(end !== ',' || label.lastIndex < inBraces.length, line);
    labels[key] = value;
  }
  return { name, labels, value: Number(number.replace(/Inf$/, 'Infinity')) };
}

function keyOf({ name, labels }: Pick<Sample, 'name' | 'labels'>): string {
  return `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
}

/** The buckets of each label set ascend in bounds and values, up to the total count. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const sets = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le, ...labels } = sample.labels;
    assert.equal(le !== undefined, sample.name.endsWith('_bucket'), name);
    const key = JSON.stringify(Object.entries(labels).sort());
    sets.set(key, [...(sets.get(key) ?? []), sample]);
  }
  for (const [labels, set] of sets) {
    const buckets = set.filter(({ labels: { le } }) => le !== undefined);
    const bounds = buckets.map(({ labels: { le } }) => (le === '+Inf' ? Infinity : Number(le)));
    assert.ok(
      bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? NaN)),
      `${name} ${labels}`,
    );
    assert.equal(bounds.at(-1), Infinity, `${name} ${labels}`);
    const values = buckets.map(({ value }) => value);
    assert.ok(
      values.every((value, index) => index === 0 || value >= (values[index - 1] ?? NaN)),
      `${name} ${labels}`,
    );
    const others = set.filter(({ labels: { le } }) => le === undefined);
    assert.deepEqual(
      others.map((each) => each.name),
      [`${name}_sum`, `${name}_count`],
    );
    assert.equal(others[1]?.value, values.at(-1), `${name} ${labels}`);
  }
}
