/** The text format of Prometheus, version 0.0.4: one family of samples after the other. */
import type { Distribution } from '../../observe/histogram.js';

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Names and values of labels. */
export type Labels = Readonly<Record<string, string | number>>;
/** A value and its labels. */
export type Sample = readonly [Labels, number];
/** The unit of a distribution times `scale` is the unit of its family. */
type Samples = readonly (readonly [Labels, Distribution, scale?: number])[];

/** A counter. */
export function counter(name: string, help: string, samples: readonly Sample[]): string {
  return family(
    name,
    'counter',
    help,
    samples.map(([labels, value]) => line(name, labels, value)),
  );
}

/** A gauge. */
export function gauge(name: string, help: string, samples: readonly Sample[]): string {
  return family(
    name,
    'gauge',
    help,
    samples.map(([labels, value]) => line(name, labels, value)),
  );
}

/** A histogram. */
export function histogram(name: string, help: string, samples: Samples): string {
  return family(
    name,
    'histogram',
    help,
    samples.flatMap(([labels, distribution, scale = 1]) => {
      const { bounds, counts, sum } = distribution;
      let below = 0;
      const buckets = Array.from(counts, (count, index) => {
        below += count;
        const bound = bounds[index];
        // Rounded, because it is used as a name, and 25 / 1000 may not be 0.025.
        const le = bound === undefined ? '+Inf' : String(Number((bound * scale).toPrecision(12)));
        return line(`${name}_bucket`, { ...labels, le }, below);
      });
      return [...buckets, line(`${name}_sum`, labels, sum * scale), line(`${name}_count`, labels, below)];
    }),
  );
}

function family(name: string, type: string, help: string, lines: readonly string[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** For names of callers; no other label needs escaping. */
function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(String(text))}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${String(value)}\n`;
}
