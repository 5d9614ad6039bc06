import type { Caller } from '../access/permission.js';
import type { SearchPart } from '../core/search-part.js';
import { Stage, type TaskAnswer } from '../core/thread/task.js';
import { failure, type Failure, type LineBase, type Notice, type Outcome } from '../core/errors.js';
import { changedByOthers, timedOut } from '../core/failures.js';
import {
  subjectOf,
  type ModelCall,
  type Operation,
  type OperationName,
  type Params,
  type Precondition,
} from '../core/operations.js';

/** Context of a call besides its parameters. */
export interface RunContext {
  /** From If-Match. */
  readonly precondition?: Precondition;
  /** Number of the first line in error messages; 1 if absent. Parameters always count from 1. */
  readonly lineBase?: LineBase;
  /** Present if a model makes the call: its likely mistakes are forgiven. A program is taken literally. */
  readonly model?: ModelCall;
  /** Of an operation that runs in parts: the one to do. */
  readonly search?: SearchPart;
  /** With `--tokens`: whose call it is. */
  readonly caller?: Caller | undefined;
  /** Cancels the call, unless its commit has been claimed. */
  readonly signal?: AbortSignal;
}

/** Longest wait of a write for its file, even if the call's time-out is longer (spec 5.5). */
const longestFileWaitMs = 30_000;

/** Interval for retrying the cancellation of a claimed call. */
const retryCancelMs = 50;

/**
 * One call, from its arrival in the pool to its answer. It gets exactly one: the outcome of its thread, a time-out, a
 * cancellation, or the failure of a thread that died. Its progress is in memory shared with the worker (`Stage`): it
 * can be cancelled until the worker has claimed its commit.
 */
export class PendingCall {
  readonly answer: Promise<Outcome>;
  /** Resolves when no thread works on it any more, possibly later than its answer. */
  readonly ended: Promise<void>;
  /** Number of threads that died while holding it. */
  deaths = 0;
  /** Must run outside of groups: a group with it could not be written, or the group's thread died. */
  alone = false;
  private resolve: (outcome: Outcome) => void = () => undefined;
  private resolveEnded: () => void = () => undefined;
  /** Callback of `whenIdle` until it is called. */
  private onIdle: (() => void) | undefined;
  /** Runs until the time-out; for a claimed call that was cancelled, until the next attempt. */
  private timer: NodeJS.Timeout | undefined;
  /** Location of its stage while a worker has it. */
  private sent: { readonly stages: Int32Array; readonly slot: number } | undefined;
  /** Whether it waits for another write of the same file, or did so before it was sent. */
  inFileQueue = false;
  settled = false;
  /** Why it was cancelled while claimed: its answer if the commit fails without a change. */
  private refusal: Failure | undefined;
  /** Warnings from earlier runs. */
  private readonly notices: Notice[] = [];

  constructor(
    readonly operation: Operation,
    readonly params: Params[OperationName],
    readonly context: RunContext,
    private readonly timeoutMs: number,
  ) {
    this.answer = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.resolveEnded = resolve;
    });
    const { signal } = context;
    if (signal?.aborted === true) this.cancel(cancelled());
    else signal?.addEventListener('abort', this.onAbort, { once: true });
    this.startTimer(operation.writes ? Math.min(timeoutMs, longestFileWaitMs) : timeoutMs, timeoutMs);
  }

  /** Resolve the answer; only the first call has an effect. */
  settle(outcome: Outcome): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.timer);
    this.context.signal?.removeEventListener('abort', this.onAbort);
    const { notices } = this;
    this.resolve(notices.length === 0 ? outcome : { ...outcome, notices: [...notices, ...(outcome.notices ?? [])] });
  }

  /** Called by its current owner, a queue or a shard, on release. @returns false if it still needs an answer */
  endIfSettled(): boolean {
    if (!this.settled) return false;
    this.resolveEnded();
    this.becomeIdle();
    return true;
  }

  /**
   * Call `act` once, as soon as this call no longer blocks later writes of its file: when it has ended, or when it is
   * answered before it has the lock.
   */
  whenIdle(act: () => void): void {
    this.onIdle = act;
  }

  private becomeIdle(): void {
    const { onIdle } = this;
    this.onIdle = undefined;
    onIdle?.();
  }

  /**
   * Answer with this failure now, unless the call has been claimed.
   * @returns false if it has been claimed; its answer is then the outcome of the commit
   */
  cancel(refusal: Failure): boolean {
    if (this.settled) return true;
    const stage = this.sent === undefined ? Stage.queued : cancelStage(this.sent.stages, this.sent.slot);
    if (stage === Stage.claimed) {
      this.refusal = refusal;
      // The worker may give up its claim and wait for a lock again; then the cancellation succeeds.
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.cancel(refusal);
      }, retryCancelMs);
      return false;
    }
    this.settle(refusal);
    if (stage === Stage.queued || stage === Stage.waiting) this.becomeIdle();
    return true;
  }

  /** The call is sent to a worker, which advances its stage from now on. */
  markSent(stages: Int32Array, slot: number): void {
    Atomics.store(stages, slot, Stage.queued);
    this.sent = { stages, slot };
  }

  /**
   * The worker has returned it; its slot is free.
   * @param answer undefined if the worker did not begin it; neither a success nor a failure if its group could not be
   *   written, so that it must run again
   */
  markReturned(answer: TaskAnswer[number] | undefined): void {
    this.sent = undefined;
    if (answer !== undefined && answer.ok !== null) {
      this.settle(answer);
      return;
    }
    if (answer !== undefined) {
      this.alone = true;
      this.notices.push(...(answer.notices ?? []));
    }
    if (this.refusal !== undefined) this.settle(this.refusal);
  }

  /**
   * Its thread has died or is about to. Cancels the run, so that it can no longer be claimed.
   * @returns the previous stage
   */
  takeBack(): Stage {
    const { sent } = this;
    this.sent = undefined;
    return sent === undefined ? Stage.cancelled : cancelStage(sent.stages, sent.slot);
  }

  private readonly onAbort = (): void => {
    this.cancel(cancelled());
  };

  /**
   * @param ms until the call is refused if it still waits for its file
   * @param remaining ms until it is refused in any case
   */
  private startTimer(ms: number, remaining: number): void {
    if (this.settled) return;
    this.timer = setTimeout(() => {
      if (this.waitsForFile()) this.cancel(failure('lock_timeout', 'Failed to acquire file lock within timeout'));
      else if (remaining > ms) this.startTimer(remaining - ms, remaining - ms);
      else this.cancel(this.isOvertaken() ? overtaken(this.operation, this.params) : timedOut(this.timeoutMs));
    }, ms);
  }

  private get stage(): Stage {
    return this.sent === undefined ? Stage.queued : stageAt(this.sent.stages, this.sent.slot);
  }

  private isOvertaken(): boolean {
    return this.stage === Stage.overtaken;
  }

  private waitsForFile(): boolean {
    const { stage } = this;
    return stage === Stage.waiting || (this.inFileQueue && stage === Stage.queued);
  }
}

/** Another program was faster each time. */
function overtaken(operation: Operation, params: unknown): Failure {
  return failure('modified_concurrently', changedByOthers(subjectOf(operation, params) ?? ''));
}

function cancelled(): Failure {
  return failure('cancelled', 'Cancelled');
}

/** Set the stage to cancelled unless it is claimed. @returns the previous stage */
function cancelStage(stages: Int32Array, slot: number): Stage {
  for (;;) {
    const stage = stageAt(stages, slot);
    if (stage === Stage.claimed) return stage;
    if (Atomics.compareExchange(stages, slot, stage, Stage.cancelled) === stage) return stage;
  }
}

function stageAt(stages: Int32Array, slot: number): Stage {
  const stage = Atomics.load(stages, slot);
  return Object.values(Stage).find((each) => each === stage) ?? Stage.cancelled;
}
