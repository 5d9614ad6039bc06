import { getSystemErrorMap } from 'node:util';
import type { Piscina } from 'piscina';
import { closeLeft } from '../core/thread/closing.js';
import type { PackedAnswer } from '../core/thread/packed-answer.js';
import type { Task, UnreadBody } from '../core/thread/task.js';
import { failure, type Failure } from '../core/errors.js';
import { internalError, notRead, notWritten } from '../core/failures.js';
import { subjectOf, type Operation } from '../core/operations.js';

/** How many calls a thread may have at once: most wait for locks, since the thread itself does one thing at a time. */
export const slotsPerThread = 1024;

/** How many threads may die in a row while they start before the waiting calls are told. */
const mostLost = 5;

/** How long after a thread could not be started another attempt is made for the calls that wait, in milliseconds. */
const retryMs = 500;

/** A pool of one thread. */
export type PoolOfOne = Piscina<Task | UnreadBody | undefined, PackedAnswer>;

/** What is told of a thread. */
export interface ThreadWatch {
  /** It died, each time told once; the calls that were running in it are answered by the shard. */
  died(error: unknown): void;
  /** It is no longer used. */
  ended(thread: Thread): void;
}

/** A worker thread, which is started when it is needed and again after it has died. */
export class Thread {
  /** One for each thread that runs or is ending. */
  private readonly ends = new Set<Promise<void>>();
  /**
   * How many have ended since one was started: if a thread dies while it starts, the calls that wait for one would go
   * on waiting until another call arrives.
   */
  private lost = 0;
  private reason: unknown;
  private givenUp: NoThread | undefined;
  /** The death of the one that was started last has been told. */
  private told = false;
  private ending = false;
  /** A task is in the queue that nobody can wait for. */
  private abandoned = false;

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
      // Comes before what a death is told by: the rejections of its calls, or an error.
      this.told = false;
      // At this moment the dead thread still counts.
      setImmediate(() => {
        this.replace();
      });
    });
    pool.on('error', (error: unknown) => {
      this.died(error);
    });
  }

  /** How many run now: one or none. */
  get count(): number {
    return this.pool.threads.length;
  }

  /** Rejects with NoThread if none can be started, otherwise as piscina does; so do the next two. */
  run(task: Task): Promise<PackedAnswer> {
    return this.send(task);
  }

  /** Remove what killed threads and processes have left. */
  sweep(): Promise<PackedAnswer> {
    return this.send(undefined, { name: 'sweep' });
  }

  /** Read a body as JSON. */
  readBody(body: UnreadBody): Promise<PackedAnswer> {
    return this.send(body, { name: 'readBody' });
  }

  /** @param options `name` is that of an export of workers/main.ts, the default one if absent */
  private async send(task: Task | UnreadBody | undefined, options?: { name: string }): Promise<PackedAnswer> {
    let answer: Promise<PackedAnswer>;
    try {
      answer = this.pool.run(task, options);
    } catch (error) {
      // The system has no thread to give (EAGAIN). Piscina has put the task into its queue, and its promise nowhere.
      this.abandoned = true;
      throw new NoThread(error);
    }
    try {
      return await answer;
    } catch (error) {
      if (this.givenUp !== undefined) throw this.givenUp;
      this.died(error);
      throw error;
    }
  }

  /** An answer that arrives after the end is an error too: piscina has forgotten its task. */
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
    // It would reject the promise of an abandoned task, which ends the process.
    if (!this.abandoned || this.count > 0) await this.pool.destroy();
  }

  /**
   * Resolves when each thread that runs now has ended, with its descriptors closed and its locks free. Never rejects.
   */
  async gone(): Promise<void> {
    await Promise.all(this.ends);
  }

  private awaitEnd(id: number): void {
    // Once it has ended, its id is gone.
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
    if (this.lost < mostLost) {
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

/** Starts a thread; `stages` is shared with it. Rejects with NoThread. */
export type StartThread = (stages: SharedArrayBuffer) => Promise<Running>;
type Running = Pick<Thread, 'run' | 'sweep' | 'readBody' | 'destroy' | 'gone'>;

/** The places of a thread for calls, with the stages of these (src/core/thread/task.ts). The thread starts with the first. */
export class Slots {
  private readonly shared = new SharedArrayBuffer(slotsPerThread * Int32Array.BYTES_PER_ELEMENT);
  readonly stages = new Int32Array(this.shared);
  private readonly returned: number[] = [];
  /** How many slots have been taken at least once. */
  private used = 0;
  private started: Promise<Running> | undefined;
  private closed = false;

  constructor(private readonly start: StartThread) {}

  /** How many more calls the thread can take. */
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

  /** Rejects with NoThread if none can be started, or once it is closed: nobody would end that thread. */
  thread(): Promise<Running> {
    if (this.closed) return Promise.reject(new NoThread(new Error('its slots are closed')));
    this.started ??= this.start(this.shared);
    return this.started;
  }

  /** Resolves when its thread, if any was started, has ended. Never rejects. */
  async gone(): Promise<void> {
    const thread = await this.started?.catch(() => undefined);
    await thread?.gone();
  }

  /** End its thread, if any was started, and start none from now on. */
  async close(): Promise<void> {
    this.closed = true;
    // A thread that could not be started has nothing to end, and its calls have been answered.
    const thread = await this.started?.catch(() => undefined);
    await thread?.destroy();
  }
}

/**
 * `EMFILE: too many open files, open '…'` for a file of its code; `EAGAIN` or `Worker initialization failure: EMFILE` for
 * the thread.
 */
const namedErrno = /^E[A-Z]{3,}(?=: |$)|(?<=: )E[A-Z]{3,}$/;

/** No worker thread can be started, for lack of descriptors or memory; the next call may find some again. */
export class NoThread extends Error {
  constructor(readonly reason: unknown) {
    super(reason instanceof Error ? reason.message : String(reason));
  }

  /** The answer to a call that waited for the thread; names the errno if Node does. */
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

/** In Node's words for the same error of a file. */
function described(errno: string): string {
  const known = [...getSystemErrorMap().values()].find(([name]) => name === errno);
  return known === undefined ? errno : known.join(': ');
}
