import { getSystemErrorMap } from 'node:util';
import type { Piscina } from 'piscina';
import { closeLeft } from '../core/thread/closing.js';
import type { PackedAnswer } from '../core/thread/packed-answer.js';
import type { Task, UnreadBody } from '../core/thread/task.js';
import { failure, type Failure } from '../core/errors.js';
import { internalError, notRead, notWritten } from '../core/failures.js';
import { subjectOf, type Operation } from '../core/operations.js';

/** Most calls per thread. Most of them wait for locks, since the thread does one thing at a time. */
export const slotsPerThread = 1024;

/** Consecutive threads that may die while starting before the waiting calls fail. */
const mostLost = 5;

/** Delay before another attempt to start a thread for waiting calls, in milliseconds. */
const retryMs = 500;

/** A pool of one thread. */
export type PoolOfOne = Piscina<Task | UnreadBody | undefined, PackedAnswer>;

/** Events of a thread. */
export interface ThreadWatch {
  /** Why no thread should be started now; undefined if one may be. */
  refusal(): NoThread | undefined;
  /** One could not be started. */
  failed(): void;
  /** It died; reported once per death. The shard answers the calls that were running in it. */
  died(error: unknown): void;
  /** It is no longer in use. */
  ended(thread: Thread): void;
}

/** A worker thread, started on demand and restarted after it has died. */
export class Thread {
  /** One per thread that runs or is ending. */
  private readonly ends = new Set<Promise<void>>();
  /**
   * Threads that have ended since one last started. If a thread dies while starting, its waiting calls would hang until
   * another call arrives.
   */
  private lost = 0;
  private reason: unknown;
  private givenUp: NoThread | undefined;
  /** Whether the death of the latest thread has been reported. */
  private told = false;
  private ending = false;
  /** The queue holds a task whose promise was lost. */
  private abandoned = false;
  /** It has not answered since it was started. */
  isStarting = false;

  /** @param closing shared with the thread (src/core/thread/closing.ts) */
  constructor(
    private readonly pool: PoolOfOne,
    private readonly closing: SharedArrayBuffer,
    private readonly watch: ThreadWatch,
  ) {
    pool.on('workerCreate', ({ id }: { readonly id: number }) => {
      this.lost = 0;
      this.awaitEnd(id);
    });
    pool.on('workerDestroy', () => {
      this.lost++;
      // Fires before the events that report a death: rejected calls or an error.
      this.told = false;
      // The dead thread still counts at this point.
      setImmediate(() => {
        this.replace();
      });
    });
    pool.on('error', (error: unknown) => {
      this.died(error);
    });
  }

  /** Running threads: one or none. */
  get count(): number {
    return this.pool.threads.length;
  }

  /** Rejects with NoThread if no thread can be started, otherwise like piscina. The same applies to the next two. */
  run(task: Task): Promise<PackedAnswer> {
    return this.send(task);
  }

  /** Remove leftovers of killed threads and processes. */
  sweep(): Promise<PackedAnswer> {
    return this.send(undefined, { name: 'sweep' });
  }

  /** Parse a body. */
  readBody(body: UnreadBody): Promise<PackedAnswer> {
    return this.send(body, { name: 'readBody' });
  }

  /** @param options `name` is an export of workers/main.ts; the default export if absent */
  private async send(task: Task | UnreadBody | undefined, options?: { name: string }): Promise<PackedAnswer> {
    if (this.count === 0) {
      const refusal = this.watch.refusal();
      if (refusal !== undefined) throw refusal;
      this.isStarting = true;
    }
    let answer: Promise<PackedAnswer>;
    try {
      answer = this.pool.run(task, options);
    } catch (error) {
      // The system cannot create a thread (EAGAIN). Piscina has queued the task and lost its promise.
      this.abandoned = true;
      this.isStarting = false;
      this.watch.failed();
      throw new NoThread(error);
    }
    try {
      const packed = await answer;
      this.isStarting = false;
      return packed;
    } catch (error) {
      this.isStarting = false;
      if (this.givenUp !== undefined) throw this.givenUp;
      this.died(error);
      throw error;
    }
  }

  /** An answer after the end is an error too: piscina has dropped its task. */
  private died(error: unknown): void {
    if (this.told || this.ending) return;
    this.told = true;
    this.reason = error;
    this.watch.died(error);
  }

  /** End it. */
  async destroy(): Promise<void> {
    this.ending = true;
    this.watch.ended(this);
    // destroy() would reject the promise of an abandoned task, which ends the process.
    if (!this.abandoned || this.count > 0) await this.pool.destroy();
  }

  /** Resolves when every current thread has ended, its descriptors closed and its locks free. Never rejects. */
  async gone(): Promise<void> {
    await Promise.all(this.ends);
  }

  private awaitEnd(id: number): void {
    // Looked up now: its id is gone once it has ended.
    const thread = this.pool.threads.find(({ threadId }) => threadId === id);
    if (thread === undefined) return;
    const end = new Promise<void>((resolve) => {
      thread.once('exit', () => {
        closeLeft(this.closing, id);
        this.ends.delete(end);
        resolve();
      });
    });
    this.ends.add(end);
  }

  private replace(): void {
    const { pool } = this;
    if (pool.queueSize === 0 || pool.threads.length > 0) return;
    const isRefused = isInitFailure(this.reason);
    if (isRefused) this.watch.failed();
    if (this.lost < mostLost && !isRefused) {
      void this.sweep().catch((error: unknown) => {
        if (error instanceof NoThread && this.abandoned)
          setTimeout(() => {
            this.replace();
          }, retryMs).unref();
      });
    } else if (!this.abandoned) {
      this.givenUp = new NoThread(this.reason);
      void pool.destroy();
    }
  }
}

/**
 * Whether the system refused what a thread needs to start. Another attempt would fail too, and Node 20 leaks a
 * descriptor each time a thread starts with only one to three free.
 */
function isInitFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_INIT_FAILED';
}

/** Starts a thread that shares `phases`. Rejects with NoThread. */
export type StartThread = (phases: SharedArrayBuffer) => Promise<Running>;
type Running = Pick<Thread, 'run' | 'sweep' | 'readBody' | 'destroy' | 'gone'>;

/**
 * The slots of a thread, one per call in flight, with their phases (src/core/thread/task.ts). The thread starts with
 * the first call.
 */
export class Slots {
  private readonly shared = new SharedArrayBuffer(slotsPerThread * Int32Array.BYTES_PER_ELEMENT);
  readonly phases = new Int32Array(this.shared);
  private readonly returned: number[] = [];
  /** Number of slots taken at least once. */
  private used = 0;
  private started: Promise<Running> | undefined;
  private closed = false;

  constructor(private readonly start: StartThread) {}

  /** Number of free slots. */
  get free(): number {
    return slotsPerThread - this.used + this.returned.length;
  }

  /** @throws RangeError if none is free */
  take(): number {
    const slot = this.returned.pop();
    if (slot !== undefined) return slot;
    if (this.used === slotsPerThread) throw new RangeError('no slot is free');
    return this.used++;
  }

  giveBack(slot: number): void {
    this.returned.push(slot);
  }

  /** Rejects with NoThread if no thread can be started, or once closed: a new thread would never be ended. */
  thread(): Promise<Running> {
    if (this.closed) return Promise.reject(new NoThread(new Error('its slots are closed')));
    this.started ??= this.start(this.shared);
    return this.started;
  }

  /** Resolves when its thread, if any, has ended. Never rejects. */
  async gone(): Promise<void> {
    const thread = await this.started?.catch(() => undefined);
    await thread?.gone();
  }

  /** End its thread, if any, and start none from now on. */
  async close(): Promise<void> {
    this.closed = true;
    // A thread that failed to start needs no ending, and its calls have been answered.
    const thread = await this.started?.catch(() => undefined);
    await thread?.destroy();
  }
}

/**
 * `EMFILE: too many open files, open '…'` for its code file; `EAGAIN` or `Worker initialization failure: EMFILE` for
 * the thread.
 */
const namedErrno = /^E[A-Z]{3,}(?=: |$)|(?<=: )E[A-Z]{3,}$/;

/** No worker thread can be started, for lack of descriptors or memory; a later call may succeed. */
export class NoThread extends Error {
  /** @param wasTried whether a thread was about to start, whose queue may hold calls */
  constructor(
    readonly reason: unknown,
    readonly wasTried = true,
  ) {
    super(reason instanceof Error ? reason.message : String(reason));
  }

  /** The answer to a call that waited for the thread, with the errno if Node gives one. */
  answer(operation: Operation, params: unknown): Failure {
    const errno = namedErrno.exec(this.message)?.[0];
    const cause = this.message;
    if (errno === undefined) return internalError({ cause });
    const more = { data: { errno }, cause };
    const shortage = described(errno);
    if (operation.writes) return failure('write_failed', notWritten(shortage), more);
    return notRead(subjectOf(operation, params), shortage, more);
  }
}

/** Node's wording of the same file error. */
function described(errno: string): string {
  const known = [...getSystemErrorMap().values()].find(([name]) => name === errno);
  return known === undefined ? errno : known.join(': ');
}
