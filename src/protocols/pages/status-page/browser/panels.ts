/** THE TABLE of charts: to add one, add a row. */
import type { Point } from './look.js';
import { megabytes, milliseconds, perSecond } from './words.js';

export interface Line {
  readonly name: string;
  /** One of the colours of style.css. */
  readonly color: 'first' | 'second' | 'bad';
  readonly of: (point: Point) => number | null;
  readonly show: (value: number) => string;
}

export interface Panel {
  readonly title: string;
  /** The unit of the axis, and so of all lines. */
  readonly unit: string;
  readonly lines: readonly Line[];
  /** The axis reaches at least this far, so tiny values do not look large. */
  readonly least: number;
  /** For values that span orders of magnitude. */
  readonly logarithmic?: boolean;
}

export const panels: readonly Panel[] = [
  {
    title: 'Calls',
    unit: 'calls per second',
    least: 5,
    lines: [
      { name: 'reads', color: 'first', of: ({ reads }) => reads, show: perSecond },
      { name: 'writes', color: 'second', of: ({ writes }) => writes, show: perSecond },
    ],
  },
  {
    title: 'Latency',
    unit: 'milliseconds',
    least: 1,
    logarithmic: true,
    lines: [
      { name: 'p50', color: 'first', of: ({ p50 }) => p50, show: milliseconds },
      { name: 'p99', color: 'second', of: ({ p99 }) => p99, show: milliseconds },
    ],
  },
  {
    title: 'Errors',
    unit: 'errors per second',
    least: 1,
    lines: [
      { name: 'failed calls', color: 'bad', of: ({ failed }) => failed, show: perSecond },
      { name: 'refused requests', color: 'second', of: ({ refused }) => refused, show: perSecond },
    ],
  },
  {
    title: 'Memory',
    unit: 'MB',
    least: 100,
    lines: [
      { name: 'process', color: 'first', of: ({ memoryMb }) => memoryMb, show: megabytes },
      { name: 'cached answers', color: 'second', of: ({ cacheMb }) => cacheMb, show: megabytes },
    ],
  },
];
