import { closeSync, openSync, readFileSync } from 'node:fs';
import { availableParallelism, devNull } from 'node:os';
import { fileURLToPath } from 'node:url';
import { closingBytes } from '../core/thread/closing.js';
import type { ThreadSetup } from '../core/thread/task.js';
import { idleMs } from '../core/memory/held.js';
import type { Log } from '../observe/log.js';
import { loadPiscina } from './load-piscina.js';
import type { Shard } from './shard.js';
import { NoThread, slotsPerThread, Thread, type PoolOfOne, type ThreadWatch } from './thread.js';

/**
 * Limit of a thread's young generation, which V8 splits into two halves of 2 MB (with 16: of 8). By default it grows to
 * 48 MB, which the many small objects of one large request would fill: 1000 edits of 10 MB take 4 MB less than with 16.
 * With 3, reads of 1 KB take a tenth more CPU time.
 */
const youngMb = 6;
/** With 6, a listing takes a third longer, because it allocates so many small objects. */
const listerYoungMb = 16;

/** Descriptors that must be free before a thread starts: it needs about five, and clients connect meanwhile. */
const freeToStart = 12;
/** Pause after a failed start before the next one, in milliseconds. */
const pauseMs = 1_000;

/** The worker threads of a server. */
export class Threads implements ThreadWatch {
  private pausedUntil = -Infinity;
  /** Threads that have died, not counting those that were given back. */
  deaths = 0;
  private readonly all = new Set<Thread>();
  readonly umask = readUmask();

  constructor(
    private readonly workerFile: URL,
    private readonly setup: Omit<ThreadSetup, 'umask' | 'phases' | 'closing' | 'sharesThread'>,
    private readonly log: Log,
  ) {}

  /** Running threads. */
  get count(): number {
    return [...this.all].reduce((running, { count }) => running + count, 0);
  }

  /**
   * A thread, which starts with its first task.
   * @param phases of its calls, shared with it
   * @param onlyLists whether it runs listings only
   * @throws NoThread
   */
  async start(phases: SharedArrayBuffer, onlyLists: boolean): Promise<Thread> {
    const Piscina = await loadPiscina();
    const closing = new SharedArrayBuffer(closingBytes);
    const pool: PoolOfOne = new Piscina({
      filename: fileURLToPath(this.workerFile),
      minThreads: 0,
      maxThreads: 1,
      concurrentTasksPerWorker: slotsPerThread,
      // Each idle thread that ends frees 10 MB.
      idleTimeout: idleMs,
      // By default an idle thread blocks outside its event loop, and for ever if an exception is ending it; waiting
      // with the loop running ('async') takes 4 % more CPU time per read than plain messages.
      atomics: 'disabled',
      resourceLimits: { maxYoungGenerationSizeMb: onlyLists ? listerYoungMb : youngMb },
      workerData: { ...this.setup, umask: this.umask, phases, closing } satisfies ThreadSetup,
    });
    const thread = new Thread(pool, closing, this);
    this.all.add(thread);
    return thread;
  }

  /** Whether calls have no thread now, and none can be started for them. */
  get isOutOfThreads(): boolean {
    return this.count === 0 && this.refusal() !== undefined;
  }

  refusal(): NoThread | undefined {
    const starting = [...this.all].filter(({ isStarting }) => isStarting).length;
    const mayStart = performance.now() >= this.pausedUntil && areFree(freeToStart * (starting + 1));
    return mayStart ? undefined : new NoThread(new Error('EMFILE: too many open files'), false);
  }

  failed(): void {
    this.pausedUntil = performance.now() + pauseMs;
  }

  died(error: unknown): void {
    this.deaths++;
    this.log.error({ cause: error instanceof Error ? error.stack : String(error) }, 'A worker thread died');
  }

  ended(thread: Thread): void {
    this.all.delete(thread);
  }
}

/**
 * Whether this many descriptors are free. Opens and closes them, which takes 0.03 ms; counting the open ones takes
 * longer the more there are.
 */
function areFree(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/**
 * The process's umask, for the modes of new files. Linux reports it. Elsewhere the only way to read it is to set it
 * briefly, for all threads; another server of this process could create a directory at that moment, so it is set to the
 * most restrictive mask.
 */
export function readUmask(): number {
  try {
    const [, mask] = /^Umask:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
    if (mask !== undefined) return parseInt(mask, 8);
  } catch {
    // No /proc.
  }
  const umask = process.umask(0o077);
  process.umask(umask);
  return umask;
}

/** Assigns calls to threads. */
export class Shards {
  /**
   * For listings only: a listing of many large files took 11 s, and a read of 2 bytes queued after it waited as long.
   */
  readonly lister: Shard;
  /** For all other calls; the lister itself if it is the only thread. */
  private readonly others: readonly Shard[];
  private readonly readers: readonly Shard[];
  private readonly writers: readonly Shard[];

  readonly all: readonly [Shard, ...Shard[]];

  /**
   * @param count at least 1
   * @param create makes a shard; `onlyLists` if it gets listings only
   */
  constructor(count: number, create: (onlyLists: boolean) => Shard) {
    this.all = [create(false), ...Array.from({ length: count - 1 }, (_, index) => create(index === count - 2))];
    this.lister = this.all.at(-1) ?? this.all[0];
    this.others = count > 1 ? this.all.slice(0, -1) : this.all;
    this.readers = this.others.slice(0, Math.max(1, availableParallelism() - 1));
    // While a write waits for the disk, its thread serves others: more threads than cores would only add compile time.
    this.writers = this.others.slice(0, availableParallelism());
  }

  /**
   * The same shard for all writes of a file, unless it is silent: one request of a thousand edits with millions of
   * matches once blocked the writes of half of all files for 4 s. Called only when no write of the file is in flight,
   * so order is kept.
   */
  writerOf(key: string): Shard {
    let hash = 0;
    for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
    const usual = this.writers[(hash >>> 0) % this.writers.length] ?? leastBusy(this.others);
    if (!usual.isSilent) return usual;
    return leastBusyAwake(this.writers) ?? leastBusyAwake(this.others) ?? usual;
  }

  /** For a part of a search, which pauses for other calls: rather a thread that runs already than a new one. */
  searcher(): Shard {
    return leastBusyAwake(this.all) ?? leastBusy(this.all);
  }

  /**
   * Reads need no order, and more threads than the cores left free by the main thread would only compete with it. So
   * reads share that many threads and use others only while these are writing or silent: one read from a stalled disk
   * once blocked all reads until they timed out.
   */
  reader(): Shard {
    const free = this.readers.filter(({ writes }) => writes === 0);
    return leastBusyAwake(free) ?? leastBusyAwake(this.others) ?? leastBusy(this.others);
  }
}

/** Undefined if all of them are silent. */
function leastBusyAwake(among: readonly Shard[]): Shard | undefined {
  const awake = among.filter(({ isSilent }) => !isSilent);
  return awake.length > 0 ? leastBusy(awake) : undefined;
}

function leastBusy(among: readonly Shard[]): Shard {
  return among.reduce((best, shard) => (shard.load < best.load ? shard : best));
}
