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

/** Worker threads are given back after this, and with them the 10 MB that each takes. */
const idleMs = 8_000;
/**
 * Of objects that have just been made, in a thread: a third of it is filled before the collector looks. By default it
 * grows to 48 MB, which the many small objects of one large request then fill; with 6 lists take a tenth longer.
 */
const youngMb = 16;
/** Threads that may die one after the other while they start, before the calls that wait are told. */
const mostLost = 5;

/** The worker threads, each in a pool of its own, which starts it when it is needed and again when it has died. */
export class Threads {
  /** So many have died; those that were given back are not among them. */
  deaths = 0;
  private readonly pools = new Set<{ readonly threads: readonly unknown[] }>();

  constructor(
    private readonly workerFile: URL,
    private readonly setup: Omit<ThreadSetup, 'stages' | 'closing'>,
    private readonly log: Log,
  ) {}

  /** So many run now. */
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
      // The default waits without an event loop, and for ever in a thread that an exception is ending.
      atomics: 'async',
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
      workerData: { ...this.setup, stages, closing } satisfies ThreadSetup,
    });
    this.pools.add(pool);
    // A thread that dies while it starts: what waits for one would wait until another call comes.
    let lost = 0;
    let reason: unknown;
    let givenUp: NoThread | undefined;
    pool.on('workerCreate', ({ id }: { readonly id: number }) => {
      lost = 0;
      // Its id is gone when it has ended.
      const thread = pool.threads.find(({ threadId }) => threadId === id);
      thread?.once('exit', () => {
        closeLeft(closing, id);
      });
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
      // The dead thread is still counted now.
      setImmediate(replace);
    });
    // A thread that dies between calls; what it was running is answered by the shard.
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
 * Node remembers for ever that it has not found a package, which is what it believes while no file can be opened. To look
 * for this one at the start would help as well, and cost every idle server 0.7 MB.
 * @throws the system error; RangeError if it is not installed
 */
function loadByPath(): typeof import('piscina') {
  const require = createRequire(import.meta.url);
  const folder = require.resolve.paths('piscina')?.find((each) => existsSync(join(each, 'piscina/package.json')));
  if (folder === undefined) throw new RangeError('piscina is not installed');
  const { main } = JSON.parse(readFileSync(join(folder, 'piscina/package.json'), 'utf8')) as { main: string };
  return require(join(folder, 'piscina', main)) as typeof import('piscina');
}
