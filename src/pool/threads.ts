import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closeLeft, closingBytes } from '../../workers/closing.js';
import type { PackedAnswer } from '../../workers/packed-answer.js';
import type { Task, ThreadSetup } from '../../workers/task.js';
import type { Log } from '../monitoring/log.js';
import { slots, type StartThread } from './lane.js';
import { NoThread } from './no-thread.js';

/** Idle worker threads are given back after this, and with each of them 10 MB. */
const idleMs = 8_000;
/**
 * Limit of a thread's young generation: a third of it fills before the collector runs. By default it grows to 48 MB,
 * which the many small objects of a single large request would fill; with 6, listings take a tenth longer.
 */
const youngMb = 16;
/** How many threads may die in a row while they start before the waiting calls are told. */
const mostLost = 5;

/** The worker threads, each in a pool of its own that starts it when it is needed and again after it has died. */
export class Threads {
  /** How many have died, not counting those that were given back. */
  deaths = 0;
  private readonly pools = new Set<{ readonly threads: readonly unknown[] }>();

  constructor(
    private readonly workerFile: URL,
    private readonly setup: Omit<ThreadSetup, 'stages' | 'closing'>,
    private readonly log: Log,
  ) {}

  /** How many run now. */
  get count(): number {
    return [...this.pools].reduce((all, pool) => all + pool.threads.length, 0);
  }

  /** Loads piscina with the first thread. */
  readonly start: StartThread = async (stages) => {
    const Piscina = await loadPiscina();
    const closing = new SharedArrayBuffer(closingBytes);
    const pool = new Piscina<Task | undefined, PackedAnswer>({
      filename: fileURLToPath(this.workerFile),
      minThreads: 0,
      maxThreads: 1,
      concurrentTasksPerWorker: slots,
      idleTimeout: idleMs,
      // By default an idle thread blocks without an event loop, and for ever if an exception is ending it.
      atomics: 'async',
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
      workerData: { ...this.setup, stages, closing } satisfies ThreadSetup,
    });
    this.pools.add(pool);
    const ends = new Set<Promise<void>>();
    // If a thread dies while it starts, the calls that wait for one would go on waiting until another call arrives.
    let lost = 0;
    let reason: unknown;
    let givenUp: NoThread | undefined;
    pool.on('workerCreate', ({ id }: { readonly id: number }) => {
      lost = 0;
      // Once it has ended, its id is gone.
      const thread = pool.threads.find(({ threadId }) => threadId === id);
      if (thread === undefined) return;
      const end = new Promise<void>((resolve) => {
        thread.once('exit', () => {
          closeLeft(closing, id);
          ends.delete(end);
          resolve();
        });
      });
      ends.add(end);
    });
    const replace = (): void => {
      if (pool.queueSize === 0 || pool.threads.length > 0) return;
      if (lost < mostLost) void pool.run(undefined, { name: 'sweep' }).catch(() => undefined);
      else {
        givenUp = new NoThread(reason);
        void pool.destroy();
      }
    };
    pool.on('workerDestroy', () => {
      lost++;
      // At this moment the dead thread still counts.
      setImmediate(replace);
    });
    // For threads that die between calls; calls that were running are answered by the shard.
    pool.on('error', (error: unknown) => {
      reason = error;
      this.deaths++;
      this.log.error({ cause: error instanceof Error ? error.stack : String(error) }, 'A worker thread died');
    });
    return {
      run: (task, options) =>
        pool.run(task, options).catch((error: unknown) => {
          throw givenUp ?? error;
        }),
      destroy: () => {
        this.pools.delete(pool);
        return pool.destroy();
      },
      gone: async () => {
        await Promise.all(ends);
      },
    };
  };
}

/** @throws NoThread */
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
