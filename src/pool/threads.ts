import { fileURLToPath } from 'node:url';
import { closingBytes } from '../../workers/closing.js';
import type { ThreadSetup } from '../../workers/task.js';
import { idleMs } from '../memory/held.js';
import type { Log } from '../monitoring/log.js';
import { slots } from './lane.js';
import { loadPiscina } from './load-piscina.js';
import { Thread, type PoolOfOne, type ThreadWatch } from './thread.js';

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

  constructor(
    private readonly workerFile: URL,
    private readonly setup: Omit<ThreadSetup, 'stages' | 'closing'>,
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
      concurrentTasksPerWorker: slots,
      // With each thread that is given back, 10 MB are.
      idleTimeout: idleMs,
      // By default an idle thread blocks without an event loop, and for ever if an exception is ending it; to wait with
      // the loop running ('async') takes 4 % more processor time for each read than the messages alone.
      atomics: 'disabled',
      resourceLimits: { maxYoungGenerationSizeMb: onlyLists ? listerYoungMb : youngMb },
      workerData: { ...this.setup, stages, closing } satisfies ThreadSetup,
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
