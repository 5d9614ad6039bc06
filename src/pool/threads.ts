import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { closingBytes } from '../core/thread/closing.js';
import type { ThreadSetup } from '../core/thread/task.js';
import { idleMs } from '../core/memory/held.js';
import type { Log } from '../observe/log.js';
import { loadPiscina } from './load-piscina.js';
import type { Shard } from './shard.js';
import { slotsPerThread, Thread, type PoolOfOne, type ThreadWatch } from './thread.js';

/**
 * Limit of a thread's young generation, of which V8 makes two halves of 2 MB (with 16: of 8). By default it grows to 48
 * MB, which the many small objects of a single large request would fill: 1000 edits of 10 MB take 4 MB less than with 16.
 * With 3, reads of 1 KB take a tenth more processor time.
 */
const youngMb = 6;
/** A listing makes so many small objects that it takes a third longer with 6. */
const listerYoungMb = 16;

/** The worker threads of a server. */
export class Threads implements ThreadWatch {
  /** How many have died, not counting those that were given back. */
  deaths = 0;
  private readonly all = new Set<Thread>();
  readonly umask = readUmask();

  constructor(
    private readonly workerFile: URL,
    private readonly setup: Omit<ThreadSetup, 'umask' | 'stages' | 'closing' | 'sharesThread'>,
    private readonly log: Log,
  ) {}

  /** How many run now. */
  get count(): number {
    return [...this.all].reduce((running, { count }) => running + count, 0);
  }

  /**
   * A thread, which runs once it has something to do.
   * @param stages of its calls, shared with it
   * @param onlyLists whether it does nothing but list
   * @throws NoThread
   */
  async start(stages: SharedArrayBuffer, onlyLists: boolean): Promise<Thread> {
    const Piscina = await loadPiscina();
    const closing = new SharedArrayBuffer(closingBytes);
    const pool: PoolOfOne = new Piscina({
      filename: fileURLToPath(this.workerFile),
      minThreads: 0,
      maxThreads: 1,
      concurrentTasksPerWorker: slotsPerThread,
      // With each thread that is given back, 10 MB are.
      idleTimeout: idleMs,
      // By default an idle thread blocks without an event loop, and for ever if an exception is ending it; to wait with
      // the loop running ('async') takes 4 % more processor time for each read than the messages alone.
      atomics: 'disabled',
      resourceLimits: { maxYoungGenerationSizeMb: onlyLists ? listerYoungMb : youngMb },
      workerData: { ...this.setup, umask: this.umask, stages, closing } satisfies ThreadSetup,
    });
    const thread = new Thread(pool, closing, this);
    this.all.add(thread);
    return thread;
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
 * The mask of this process for the modes of new files. Linux tells it. Elsewhere the only way to read it is to set it
 * for a moment, for all threads: another server of this process could make a directory just then, so it is set to the
 * one that gives the fewest rights.
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

/** Decides which thread a call goes to. */
export class Shards {
  /** Only for listings: behind the listing of many large files, which took 11 s, a read of 2 bytes waited as long. */
  readonly lister: Shard;
  /** For all other calls; the lister itself if there is no other thread. */
  private readonly others: readonly Shard[];
  private readonly readers: readonly Shard[];
  private readonly writers: readonly Shard[];

  readonly all: readonly [Shard, ...Shard[]];

  /**
   * @param count at least 1
   * @param create makes one; `onlyLists` if it gets nothing but listings
   */
  constructor(count: number, create: (onlyLists: boolean) => Shard) {
    this.all = [create(false), ...Array.from({ length: count - 1 }, (_, index) => create(index === count - 2))];
    this.lister = this.all.at(-1) ?? this.all[0];
    this.others = count > 1 ? this.all.slice(0, -1) : this.all;
    this.readers = this.others.slice(0, Math.max(1, availableParallelism() - 1));
    // While a writer waits for the disk, others of its thread go on: more threads than cores would only compile more.
    this.writers = this.others.slice(0, availableParallelism());
  }

  /**
   * The same for all writes of a file, unless that thread is silent: one request of a thousand edits with millions of
   * matches once held up the writes of half of all files for 4 s. Called only when no write of the file is under way,
   * so order is kept.
   */
  writerOf(key: string): Shard {
    let hash = 0;
    for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
    const usual = this.writers[(hash >>> 0) % this.writers.length] ?? leastBusy(this.others);
    if (!usual.isSilent) return usual;
    return leastBusyAwake(this.writers) ?? leastBusyAwake(this.others) ?? usual;
  }

  /**
   * Reads need no order, and more threads than the cores that the main thread leaves free only get in its way. So reads
   * share that many, and take others only while these are writing, or silent: one read from a disk that had stalled
   * once held up all reads until their time was up.
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
