import { unpack } from '../core/thread/packed-answer.js';
import { Stage, type TaskAnswer, type TaskCall, type UnreadBody } from '../core/thread/task.js';
import { unknownOutcome, type Failure, type Notice } from '../core/errors.js';
import { internalError, shuttingDown } from '../core/failures.js';
import type { PendingCall } from './pending-call.js';
import { ReadQueue } from './queues.js';
import { NoThread, Slots, type StartThread } from './thread.js';

/** More than nearly all calls take. */
const silentMs = 100;

/** A call that so many threads have died with is answered: something is wrong with all of them. */
const mostDeaths = 5;

/** For the metrics. */
export interface ShardWatch {
  /** So many calls have been sent to the thread together. */
  sent(calls: number, write: boolean): void;
  /** Something is worth a line in the log. */
  noted(notices: readonly Notice[]): void;
}

/**
 * One worker thread at a time and the calls on their way to it. It starts with the first call and is given back when
 * idle.
 */
export class Shard {
  private slots: Slots;
  private readonly reads = new ReadQueue((calls) => this.run(calls));
  private slotFreed: (() => void)[] = [];
  /** Calls inside the thread. */
  running = 0;
  /** Those among them that write, and may occupy the thread for as long as a disk takes. */
  writes = 0;
  /** When it last answered, or began after a rest, as performance.now() counts. */
  private heardOf = 0;
  private closed = false;

  /** @param watch is told what happens */
  constructor(
    private readonly start: StartThread,
    private readonly watch: ShardWatch,
  ) {
    this.slots = new Slots(start);
  }

  /** Reads that wait to be sent to the thread. */
  get waiting(): number {
    return this.reads.length;
  }

  /** All calls that it has, including those that wait. */
  get load(): number {
    return this.running + this.waiting;
  }

  /** Although it has calls, it has not answered for a while: one of them may need all of its time. */
  get isSilent(): boolean {
    return this.running > 0 && performance.now() - this.heardOf > silentMs;
  }

  /** Run a call that needs no particular order, together with others. It will be settled and ended in time. */
  read(call: PendingCall): void {
    this.reads.add(call);
  }

  /**
   * Run calls of one operation in the thread as one task, and settle and end those that are over with it.
   * @returns the others, in order: they must run again. Never rejects
   */
  async run(calls: readonly PendingCall[]): Promise<readonly PendingCall[]> {
    while (this.slots.free === 0) await new Promise<void>((resolve) => this.slotFreed.push(resolve));
    // What was answered while no slot was free must not be begun: its time is up, and nobody could cancel it any more.
    const open = calls.filter((call) => !call.endIfSettled());
    if (open.length === 0) return [];
    const { slots } = this;
    const sent = open.slice(0, slots.free);
    const writes = sent.filter((call) => call.operation.writes).length;
    this.enter(sent.length, writes);
    try {
      return [...(await this.dispatch(slots, sent)), ...open.slice(sent.length)];
    } finally {
      this.leave(sent.length, writes);
      const waiting = this.slotFreed;
      this.slotFreed = [];
      for (const wake of waiting) wake();
    }
  }

  /** Remove temporary files that killed threads and processes have left. Rejects if there is no thread for that. */
  async sweep(): Promise<void> {
    const { slots } = this;
    try {
      const [swept] = unpack(await (await slots.thread()).sweep());
      this.watch.noted(swept?.notices ?? []);
    } catch (error) {
      this.replace(slots);
      throw error;
    }
  }

  /**
   * Read a body as JSON in the thread.
   * @returns `value` if it could be read, otherwise an Unread; `shutting_down` if the shard is closed before it has been
   *   read (spec 1.1). Rejects with NoThread, or with what the thread died of
   */
  async readBody(body: UnreadBody): Promise<TaskAnswer[number] | undefined> {
    const { slots } = this;
    this.enter(1, 0);
    try {
      return unpack(await (await slots.thread()).readBody(body))[0];
    } catch (error) {
      if (this.closed) return shuttingDown();
      this.replace(slots);
      throw error;
    } finally {
      this.leave(1, 0);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.slots.close();
  }

  private enter(calls: number, writes: number): void {
    if (this.running === 0) this.heardOf = performance.now();
    this.running += calls;
    this.writes += writes;
  }

  private leave(calls: number, writes: number): void {
    this.running -= calls;
    this.writes -= writes;
    this.heardOf = performance.now();
  }

  /**
   * What a dying thread has begun to write can only be removed when its lock is free: the sweep of its successor, with
   * the first call, came too early in 1 of 25 deaths by an error outside of every promise.
   */
  private async sweepAfter(slots: Slots): Promise<void> {
    await slots.gone();
    // Otherwise a thread would be started that nobody ends.
    if (this.closed) return;
    try {
      await this.sweep();
    } catch (error) {
      this.watch.noted([{ message: `Leftovers of a dead thread were not removed: ${String(error)}` }]);
    }
  }

  private async dispatch(slots: Slots, calls: readonly PendingCall[]): Promise<PendingCall[]> {
    const [first] = calls;
    if (first === undefined) return [];
    const sent = calls.map((call) => put(call, slots));
    this.watch.sent(calls.length, first.operation.writes);
    let answer: TaskAnswer;
    try {
      const thread = await slots.thread();
      answer = unpack(await thread.run({ operation: first.operation.name, calls: sent }));
    } catch (error) {
      this.replace(slots);
      if (!(error instanceof NoThread) && first.operation.writes) void this.sweepAfter(slots);
      return this.survivors(calls, error);
    }
    for (const { slot } of sent) slots.giveBack(slot);
    return calls.filter((call, index) => {
      call.markReturned(answer[index]);
      return !call.endIfSettled();
    });
  }

  /**
   * A dead thread costs only the call that it was running. Calls that it had not begun, that were waiting for a lock,
   * or whose answers died with it go to its successor.
   */
  private survivors(calls: readonly PendingCall[], error: unknown): PendingCall[] {
    // The dying thread may still be working: from here on, it cannot claim any more calls.
    const stages = calls.map((call) => call.takeBack());
    return calls.filter((call, index) => {
      const stage = stages[index] ?? Stage.queued;
      call.deaths++;
      // If it is what kills threads, it shall do so alone.
      call.alone = true;
      if (error instanceof NoThread) call.settle(error.answer(call.operation, call.params));
      else if (stage === Stage.running || stage === Stage.claimed || call.deaths === mostDeaths) {
        call.settle(threadDied(error, stage));
      }
      return !call.endIfSettled();
    });
  }

  /**
   * Slots whose thread has died are not used again: nobody can tell when the last of that thread is gone. Nor are those
   * that could not have a thread: a task that nobody waits for stays in its queue (thread.ts), and to end the next thread
   * while that starts would reject it, which ends the process.
   */
  private replace(slots: Slots): void {
    if (this.slots !== slots || this.closed) return;
    this.slots = new Slots(this.start);
    void slots.close();
  }
}

/** What the thread is told of a call, which it may begin from now on. */
function put(call: PendingCall, slots: Slots): TaskCall {
  const slot = slots.take();
  call.markSent(slots.stages, slot);
  const { params, context } = call;
  const { precondition, lineBase, model } = context;
  return {
    params,
    slot,
    // Absent members need not be copied to the thread.
    ...(precondition === undefined ? {} : { precondition }),
    ...(lineBase === undefined ? {} : { lineBase }),
    ...(model === undefined ? {} : { model }),
  };
}

/** The answer to a call whose thread has died. @param stage how far it had got (spec 5.5) */
function threadDied(error: unknown, stage: Stage): Failure {
  const cause = `the worker thread died: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  if (stage !== Stage.claimed) return internalError({ cause });
  return internalError({ cause, ...unknownOutcome });
}
