/** Figures of the pool for the metrics. */
import { countIn, timingBounds, timingBytes, timingsIn, type Counted, type Timed } from '../core/thread/timings.js';
import { Histogram, type Distribution } from '../observe/histogram.js';
import type { FileQueues, Gate } from './queues.js';
import type { Shard } from './shard.js';
import type { Threads } from './threads.js';

export interface PoolFigures {
  /** Calls without an answer yet. */
  readonly unanswered: number;
  /** Calls inside the threads. */
  readonly running: number;
  /** Calls that wait for --max-concurrent, for an earlier write of their file, or for a reading thread. */
  readonly waiting: Readonly<Record<'concurrency' | 'file' | 'thread', number>>;
  readonly threads: number;
  readonly mostThreads: number;
  /** Threads that have died, not counting those that were given back. */
  readonly deaths: number;
  /** Calls per task sent to a thread. */
  readonly batches: Readonly<Record<'read' | 'write', Distribution>>;
  /** In milliseconds. */
  readonly timings: Readonly<Record<Timed, Distribution>>;
  /** Undefined without --history. */
  readonly history: Readonly<Record<Counted, number>> | undefined;
}

/** Bucket bounds: a task holds at most 128 writes of a file, or 64 reads. */
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128];

/** Counters of the pool. */
export class PoolCounts {
  readonly batches = { read: new Histogram(batchSizes), write: new Histogram(batchSizes) };
  /** Shared counters of the threads' waiting times. */
  readonly timings = new SharedArrayBuffer(timingBytes);

  /** A task of this many calls was sent to a thread. */
  sent(calls: number, write: boolean): void {
    this.batches[write ? 'write' : 'read'].add(calls);
  }
}

/** The current figures. */
export function figuresOf(pool: {
  readonly counts: PoolCounts;
  readonly unanswered: number;
  readonly gate: Gate | undefined;
  readonly files: FileQueues;
  readonly shards: readonly Shard[];
  readonly threads: Threads;
  readonly mostThreads: number;
  readonly hasHistory: boolean;
}): PoolFigures {
  const { counts, unanswered, gate, files, shards, threads, mostThreads, hasHistory } = pool;
  const count = (what: Counted): number => countIn(counts.timings, what);
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
    history: hasHistory
      ? {
          changes_recorded: count('changes_recorded'),
          records_failed: count('records_failed'),
          history_bytes: count('history_bytes'),
        }
      : undefined,
  };
}
