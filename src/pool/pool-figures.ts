/** What the pool is doing and has done, for the metrics. */
import { timingBounds, timingBytes, timingsIn, type Timed } from '../core/thread/timings.js';
import { Histogram, type Distribution } from '../observe/histogram.js';
import type { FileQueues, Gate } from './queues.js';
import type { Shard } from './shard.js';
import type { Threads } from './threads.js';

export interface PoolFigures {
  /** Calls that have not been answered yet. */
  readonly unanswered: number;
  /** Calls inside the threads. */
  readonly running: number;
  /** Calls that wait: for --max-concurrent, for an earlier write of their file, for a thread to read. */
  readonly waiting: Readonly<Record<'concurrency' | 'file' | 'thread', number>>;
  readonly threads: number;
  readonly mostThreads: number;
  /** How many threads have died so far, not counting those that were given back. */
  readonly deaths: number;
  /** How many calls went to a thread together. */
  readonly batches: Readonly<Record<'read' | 'write', Distribution>>;
  /** In milliseconds. */
  readonly timings: Readonly<Record<Timed, Distribution>>;
}

/** Upper bounds for the metrics: a task holds at most 128 writes of a file, or 64 reads. */
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128];

/** What is counted while the pool works. */
export class PoolCounts {
  readonly batches = { read: new Histogram(batchSizes), write: new Histogram(batchSizes) };
  /** Where the threads count how long they wait. */
  readonly timings = new SharedArrayBuffer(timingBytes);

  /** So many calls were sent to a thread together. */
  sent(calls: number, write: boolean): void {
    this.batches[write ? 'write' : 'read'].add(calls);
  }
}

/** The figures of this moment. */
export function figuresOf(pool: {
  readonly counts: PoolCounts;
  readonly unanswered: number;
  readonly gate: Gate | undefined;
  readonly files: FileQueues;
  readonly shards: readonly Shard[];
  readonly threads: Threads;
  readonly mostThreads: number;
}): PoolFigures {
  const { counts, unanswered, gate, files, shards, threads, mostThreads } = pool;
  const sum = (of: (shard: Shard) => number): number => shards.reduce((all, shard) => all + of(shard), 0);
  const distribution = (what: Timed): Distribution => ({ bounds: timingBounds, ...timingsIn(counts.timings, what) });
  return {
    unanswered,
    running: sum(({ running }) => running),
    waiting: {
      concurrency: gate?.waiting.size ?? 0,
      file: files.waiting,
      thread: sum(({ waiting }) => waiting),
    },
    threads: threads.count,
    mostThreads,
    deaths: threads.deaths,
    batches: counts.batches,
    timings: {
      lock_wait: distribution('lock_wait'),
      file_sync: distribution('file_sync'),
      directory_sync: distribution('directory_sync'),
    },
  };
}
