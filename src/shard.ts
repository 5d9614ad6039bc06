import { setImmediate } from 'node:timers/promises';
import type { Piscina } from 'piscina';
import { Stage, type Task } from '../workers/task.js';
import { failure, type Failure, type Notice, type Outcome } from './errors.js';
import type { PendingCall } from './pending-call.js';

/** Calls in a worker at once: most of them wait for locks, since the thread itself does one thing at a time. */
const slots = 256;

/** A call that is not begun by so many threads, each of which died, is answered: something is wrong with them all. */
const mostThreads = 5;

/** A one-thread pool; without a task it sweeps. */
export type Thread = Piscina<Task | undefined, Outcome>;
/** Starts the one-thread pool of a shard; `stages` is what its thread and this one share. */
export type StartThread = (stages: SharedArrayBuffer) => Promise<Thread>;

/** One worker thread and what is on its way to it. The thread starts with the first call and is given back when idle. */
export class Shard {
  private readonly shared = new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT);
  private readonly stages = new Int32Array(this.shared);
  private readonly free = Array.from({ length: slots }, (_, slot) => slot);
  private readonly waiting: ((slot: number) => void)[] = [];
  private thread: Promise<Thread> | undefined;
  /** Calls that are here, waiting ones included. */
  load = 0;

  constructor(private readonly start: StartThread) {}

  /** Run a call in the thread and settle it. Resolves when the thread has nothing more to do with it. */
  async run(call: PendingCall): Promise<void> {
    this.load++;
    const slot = this.free.pop() ?? (await new Promise<number>((resolve) => this.waiting.push(resolve)));
    try {
      if (!call.settled) await this.dispatch(call, slot);
    } finally {
      this.load--;
      this.giveBack(slot);
    }
  }

  /** Remove the temporary files that killed threads and processes left. @returns what went wrong, for the log */
  async sweep(): Promise<readonly Notice[]> {
    const thread = await this.startedThread();
    // The function of this name in workers/main.ts.
    const { notices } = await thread.run(undefined, { name: 'sweep' });
    return notices ?? [];
  }

  async close(): Promise<void> {
    await (await this.thread)?.destroy();
  }

  private giveBack(slot: number): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free.push(slot);
    else next(slot);
  }

  private startedThread(): Promise<Thread> {
    this.thread ??= this.start(this.shared);
    return this.thread;
  }

  /**
   * A thread that dies costs only the call that it was running; those that it had not begun, that waited for a
   * lock, or whose answers died with it go to its successor.
   */
  private async dispatch(call: PendingCall, slot: number, thread = 1): Promise<void> {
    call.markSent(this.stages, slot);
    const task: Task = {
      operation: call.operation.name,
      params: call.params,
      slot,
      ...(call.context.precondition === undefined ? {} : { precondition: call.context.precondition }),
    };
    try {
      const outcome = await (await this.startedThread()).run(task);
      call.markReturned();
      call.settle(outcome);
    } catch (error) {
      const stage = Atomics.load(this.stages, slot);
      call.markReturned();
      if (!wasAtWork(stage) && !call.settled && thread < mostThreads) {
        // In the same tick the pool would still give it to the dead thread.
        await setImmediate();
        await this.dispatch(call, slot, thread + 1);
        return;
      }
      call.settle(threadDied(error, stage));
      if (call.operation.writes) void this.sweep().catch(() => undefined);
    }
  }
}

/** Whether the thread may have died of this call, or in its commit. Everything else can simply be run again. */
function wasAtWork(stage: number): boolean {
  return stage === Stage.running || stage === Stage.claimed;
}

function threadDied(error: unknown, stage: number): Failure {
  const cause = `the worker thread died: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  if (stage !== Stage.claimed) return failure('internal', 'Internal error', { cause });
  return failure('internal', 'Internal error', {
    cause,
    data: { applied: 'unknown' },
    details: 'The edit may or may not be in the file: read it before repeating anything.',
  });
}
