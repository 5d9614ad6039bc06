/**
 * Durations of locks and disk syncs, and what the history holds, counted by all threads in memory shared with the main
 * thread, which reads it when metrics are requested. No messages are needed, and a thread's counts outlive it.
 */
const timed = ['lock_wait', 'file_sync', 'directory_sync'] as const;
export type Timed = (typeof timed)[number];

/** Upper bounds of the buckets, in milliseconds. */
export const timingBounds: readonly number[] = [
  0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000,
];

/** Buckets, then one overflow bucket, then the sum in microseconds. */
const cells = timingBounds.length + 2;

/** Of the history (spec 18): changes that were recorded, changes that were made but not recorded, bytes on disk. */
const counted = ['changes_recorded', 'records_failed', 'history_bytes'] as const;
export type Counted = (typeof counted)[number];

export const timingBytes = (timed.length * cells + counted.length) * BigInt64Array.BYTES_PER_ELEMENT;

let shared: BigInt64Array | undefined;

/** Sets where this thread counts; until then nothing is counted. */
export function countTimingsIn(memory: SharedArrayBuffer): void {
  shared = new BigInt64Array(memory);
}

/** Count one duration. */
export function addTiming(what: Timed, ms: number): void {
  if (shared === undefined) return;
  const start = timed.indexOf(what) * cells;
  const bucket = timingBounds.findIndex((bound) => ms <= bound);
  Atomics.add(shared, start + (bucket === -1 ? timingBounds.length : bucket), 1n);
  Atomics.add(shared, start + timingBounds.length + 1, BigInt(Math.round(ms * 1000)));
}

export function addCount(what: Counted, by: number): void {
  if (shared !== undefined) Atomics.add(shared, cellOf(what), BigInt(by));
}

export function setCount(what: Counted, value: number): void {
  if (shared !== undefined) Atomics.store(shared, cellOf(what), BigInt(value));
}

export function countIn(memory: SharedArrayBuffer, what: Counted): number {
  return Number(Atomics.load(new BigInt64Array(memory), cellOf(what)));
}

function cellOf(what: Counted): number {
  return timed.length * cells + counted.indexOf(what);
}

/** Run `work` and count its duration, even if it fails. */
export function timing<Result>(what: Timed, work: () => Result): Result {
  const began = performance.now();
  try {
    return work();
  } finally {
    addTiming(what, performance.now() - began);
  }
}

/** The counts so far, not cumulative, and the sum in milliseconds. */
export function timingsIn(memory: SharedArrayBuffer, what: Timed): { counts: number[]; sum: number } {
  const all = new BigInt64Array(memory);
  const start = timed.indexOf(what) * cells;
  const numbers = Array.from({ length: cells }, (_, cell) => Number(Atomics.load(all, start + cell)));
  const sum = (numbers.pop() ?? 0) / 1000;
  return { counts: numbers, sum };
}
