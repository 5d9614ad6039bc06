/** THE TABLE of charts: to add one, add a row. */
import type { Point } from './look.js';

export interface Line {
  readonly name: string;
  /** Which of the colours of style.css. */
  readonly color: 'first' | 'second' | 'bad';
  readonly of: (point: Point) => number | null;
  readonly show: (value: number) => string;
}

export interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
  /** More in words. */
  readonly note?: (point: Point) => string;
  /** The axis reaches at least this far, so that next to nothing does not look like much. */
  readonly least: number;
  /** For values of very different magnitude. */
  readonly logarithmic?: boolean;
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** With about three digits. */
function short(value: number): string {
  return new Intl.NumberFormat('en', { maximumSignificantDigits: value < 1000 ? 3 : 4 }).format(value);
}

const perSecond = (value: number): string => `${short(value)} /s`;
const milliseconds = (value: number): string => (value < 0.1 ? `${short(value * 1000)} µs` : `${short(value)} ms`);
const percent = (value: number): string => `${whole.format(value)} %`;
const megabytes = (value: number): string =>
  value < 1 ? `${whole.format(value * 1024)} kB` : `${whole.format(value)} MB`;
const count = (value: number): string => whole.format(value);

export const panels: readonly Panel[] = [
  {
    title: 'Calls',
    least: 5,
    lines: [
      { name: 'reads', color: 'first', of: ({ reads }) => reads, show: perSecond },
      { name: 'writes', color: 'second', of: ({ writes }) => writes, show: perSecond },
    ],
  },
  {
    title: 'Latency',
    least: 1,
    logarithmic: true,
    lines: [
      { name: 'p50', color: 'first', of: ({ p50 }) => p50, show: milliseconds },
      { name: 'p99', color: 'second', of: ({ p99 }) => p99, show: milliseconds },
    ],
  },
  {
    title: 'Errors',
    least: 1,
    lines: [
      { name: 'failed calls', color: 'bad', of: ({ failed }) => failed, show: perSecond },
      { name: 'refused requests', color: 'second', of: ({ refused }) => refused, show: perSecond },
    ],
  },
  {
    title: 'Queue',
    least: 4,
    lines: [
      { name: 'in flight', color: 'first', of: ({ inFlight }) => inFlight, show: count },
      { name: 'of them waiting', color: 'second', of: ({ waiting }) => waiting, show: count },
    ],
    note: ({ lockWaits }) => `${perSecond(lockWaits)} waits for locks`,
  },
  {
    title: 'Cache',
    least: 100,
    lines: [{ name: 'of reads answered', color: 'first', of: ({ hitRate }) => hitRate, show: percent }],
    note: ({ cacheMb }) => `${megabytes(cacheMb)} held`,
  },
  {
    title: 'Workers',
    least: 4,
    lines: [{ name: 'threads', color: 'first', of: ({ threads }) => threads, show: count }],
    note: ({ threadLimit }) => `at most ${count(threadLimit)}`,
  },
  {
    title: 'Waits',
    least: 1,
    logarithmic: true,
    lines: [
      { name: 'disk sync, p99', color: 'first', of: ({ sync }) => sync, show: milliseconds },
      { name: 'event loop, p99', color: 'second', of: ({ loopDelay }) => loopDelay, show: milliseconds },
    ],
  },
  {
    title: 'Process',
    least: 100,
    lines: [
      { name: 'memory', color: 'first', of: ({ memoryMb }) => memoryMb, show: megabytes },
      { name: 'processor', color: 'second', of: ({ cpu }) => cpu, show: percent },
    ],
    note: ({ descriptors }) => (descriptors === 0 ? '' : `${count(descriptors)} descriptors open`),
  },
];
