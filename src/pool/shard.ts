import { filesFor } from '../access/permission.js';
import { unpack } from '../core/thread/packed-answer.js';
import { Phase, type TaskAnswer, type TaskCall, type UnreadBody } from '../core/thread/task.js';
import { unknownOutcome, type Failure, type Notice } from '../core/errors.js';
import { internalError, shuttingDown } from '../core/failures.js';
import type { PendingCall } from './pending-call.js';
import { ReadQueue } from './queues.js';
import { NoThread, Slots, type StartThread } from './thread.js';

/** Longer than nearly all calls take. */
const silentMs = 100;

/** A call is failed once this many threads have died with it: every thread seems affected. */
const mostDeaths = 5;

/** For the metrics. */
export interface ShardWatch {
  /** A task of this many calls was sent to the thread. */
  sent(calls: number, write: boolean): void;
  /** Something should be logged. */
  noted(notices: readonly Notice[]): void;
}

/** Runs short calls while no thread can be started. */
interface Spare {
  takes(call: PendingCall): boolean;
  /** @returns calls that must run again. Never rejects */
  run(calls: readonly PendingCall[]): Promise<readonly PendingCall[]>;
}

/**
 * One worker thread at a time and the calls queued for it. The thread starts with the first call and ends when idle.
 */
export class Shard {
  private slots: Slots;
  private readonly reads = new ReadQueue((calls) => this.run(calls));
  private slotFreed: (() => void)[] = [];
  /** Calls inside the thread. */
  running = 0;
  /** The writes among them, which may block the thread for as long as the disk takes. */
  writes = 0;
  /** When it last answered or became busy, by performance.now(). */
  private heardOf = 0;
  private closed = false;

  /** @param watch receives events */
  constructor(
    private readonly start: StartThread,
    private readonly watch: ShardWatch,
    private readonly spare?: Spare,
  ) {
    this.slots = new Slots(start);
  }

  /** Reads waiting to be sent. */
  get waiting(): number {
    return this.reads.length;
  }

  /** All of its calls, including waiting ones. */
  get load(): number {
    return this.running + this.waiting;
  }

  /** Busy without an answer for a while: one call may be taking all its time. */
  get isSilent(): boolean {
    return this.running > 0 && performance.now() - this.heardOf > silentMs;
  }

  /** Run a call without ordering constraints, batched with others. It is always settled and ended eventually. */
  read(call: PendingCall): void {
    this.reads.add(call);
  }

  /**
   * Run calls of one operation as one task; settle and end those that complete.
   * @returns the others, in order, which must run again. Never rejects
   */
  async run(calls: readonly PendingCall[]): Promise<readonly PendingCall[]> {
    while (this.slots.free === 0) await new Promise<void>((resolve) => this.slotFreed.push(resolve));
    // A call that was answered while no slot was free must not start: it has timed out and could no longer be
    // cancelled.
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

  /** Remove temporary files of killed threads and processes. Rejects if no thread can be started. */
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
   * Parse a body in the thread.
   * @returns `value` if it was parsed, otherwise an Unread; `shutting_down` if the shard is closed first (spec 1.1).
   *   Rejects with NoThread, or with the error that the thread died of
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
   * Leftovers of a dying thread can only be removed once its lock is free. The sweep of its successor, with the first
   * call, came too early in 1 of 25 deaths by an error outside any promise.
   */
  private async sweepAfter(slots: Slots): Promise<void> {
    await slots.gone();
    // A thread started now would never be ended.
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
      if (error instanceof NoThread) {
        if (error.wasTried) this.replace(slots);
        else for (const { slot } of sent) slots.giveBack(slot);
        return this.withoutThread(calls, error);
      }
      this.replace(slots);
      if (first.operation.writes) void this.sweepAfter(slots);
      return this.survivors(calls, error);
    }
    for (const { slot } of sent) slots.giveBack(slot);
    return calls.filter((call, index) => {
      call.markReturned(answer[index]);
      return !call.endIfSettled();
    });
  }

  /** The main thread runs short calls, one after the other; the others are refused. @returns none */
  private async withoutThread(calls: readonly PendingCall[], error: NoThread): Promise<PendingCall[]> {
    const { spare } = this;
    for (const call of calls) {
      call.takeBack();
      const left = !call.settled && spare?.takes(call) === true ? await spare.run([call]) : [call];
      for (const each of left) {
        each.settle(error.answer(each.operation, each.params));
        each.endIfSettled();
      }
    }
    return [];
  }

  /**
   * A dead thread fails only the call that it was running. Calls that it had not begun, that were waiting for a lock,
   * or whose answers died with it go to its successor.
   */
  private survivors(calls: readonly PendingCall[], error: unknown): PendingCall[] {
    // The dying thread may still be working; after this it cannot claim any more calls.
    const phases = calls.map((call) => call.takeBack());
    return calls.filter((call, index) => {
      const phase = phases[index] ?? Phase.queued;
      call.deaths++;
      // If this call kills threads, it must not take others with it again.
      call.alone = true;
      if (mayHaveKilled(phase) || call.deaths === mostDeaths) {
        call.settle(threadDied(error, phase));
      }
      return !call.endIfSettled();
    });
  }

  /**
   * Give the shard new slots, and with them a new thread, after `failed` lost its thread or could not start one. The
   * old slots are never reused. A dead thread may still access them: there is no way to tell when it stops. A thread
   * that did not start has left an abandoned task in their queue (thread.ts); ending the next thread while it starts
   * would reject that task, which ends the process.
   */
  private replace(failed: Slots): void {
    if (this.slots !== failed || this.closed) return;
    this.slots = new Slots(this.start);
    void failed.close();
  }
}

/** Whether the thread was at this call when it died. */
function mayHaveKilled(phase: Phase): boolean {
  return phase === Phase.running || phase === Phase.overtaken || phase === Phase.claimed;
}

/** Builds the message for a call, which the thread may begin from now on. */
function put(call: PendingCall, slots: Slots): TaskCall {
  const slot = slots.take();
  call.markSent(slots.phases, slot);
  const { params, context } = call;
  const { precondition, lineBase, model, search, caller, madeBy } = context;
  const limits = filesFor(call.operation, caller)?.limits;
  return {
    params,
    slot,
    // Absent members are not copied between threads.
    ...(precondition === undefined ? {} : { precondition }),
    ...(lineBase === undefined ? {} : { lineBase }),
    ...(model === undefined ? {} : { model }),
    ...(search === undefined ? {} : { search }),
    ...(limits === undefined ? {} : { limits }),
    ...(madeBy === undefined ? {} : { caller: madeBy }),
  };
}

/** The answer to a call whose thread has died. @param phase it had reached (spec 5.5) */
function threadDied(error: unknown, phase: Phase): Failure {
  const cause = `the worker thread died: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  if (phase !== Phase.claimed) return internalError({ cause });
  return internalError({ cause, ...unknownOutcome });
}
