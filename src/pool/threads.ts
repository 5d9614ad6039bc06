import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closingBytes } from '../core/thread/closing.js';
import type { ThreadSetup } from '../core/thread/task.js';
import { idleMs } from '../core/memory/held.js';
import type { Log } from '../observe/log.js';
import { slotsPerThread } from './slots.js';
import { NoThread, Thread, type PoolOfOne, type ThreadWatch } from './thread.js';
import { readUmask } from './umask.js';

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
  private readonly umask = readUmask();

  constructor(
    private readonly workerFile: URL,
    private readonly setup: Omit<ThreadSetup, 'umask' | 'stages' | 'closing'>,
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

/** Loaded with the first thread: a server that has not been asked anything yet does without. @throws NoThread */
async function loadPiscina(): Promise<typeof import('piscina').Piscina> {
  try {
    return (await import('piscina')).Piscina;
  } catch {
    try {
      return loadByPath().Piscina;
    } catch (error) {
      throw new NoThread(error);
    }
  }
}

/**
 * If Node fails to find a package, as it does while no file can be opened, it remembers that for ever. Resolving this
 * one at the start would help too, but cost every idle server 0.7 MB.
 * @throws the system error; RangeError if it is not installed
 */
function loadByPath(): typeof import('piscina') {
  const require = createRequire(import.meta.url);
  const folder = require.resolve.paths('piscina')?.find((each) => existsSync(join(each, 'piscina/package.json')));
  if (folder === undefined) throw new RangeError('piscina is not installed');
  const { main } = JSON.parse(readFileSync(join(folder, 'piscina/package.json'), 'utf8')) as { main: string };
  return require(join(folder, 'piscina', main)) as typeof import('piscina');
}
