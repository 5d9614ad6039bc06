import { Stage, type TaskAnswer } from '../core/thread/task.js';
import { failure, type Failure, type LineBase, type Notice, type Outcome } from '../core/errors.js';
import { timedOut } from '../core/failures.js';
import type { ModelCall, Operation, OperationName, Params, Precondition } from '../core/operations.js';

/** What must be known of a call to run it. */
export interface RunContext {
  /** From If-Match. */
  readonly precondition?: Precondition;
  /**
   * From which number the caller counts the lines that errors name; from 1 if absent. The parameters always count from
   * 1.
   */
  readonly lineBase?: LineBase;
  /** Absent if the caller is a program, whose call is taken literally. */
  readonly model?: ModelCall;
  /** Cancels the call before its commit is claimed; has no effect after that. */
  readonly signal?: AbortSignal;
}

/** Waiting for a file ends after this, even if the operation may take longer (spec 5.5). */
const longestFileWaitMs = 30_000;

/** How often a call whose time is up is looked at while it is claimed. */
const claimedMs = 50;

/** One call from its arrival to its answer, of which there is exactly one. */
export class PendingCall {
  readonly answer: Promise<Outcome>;
  /**
   * Resolves when no work is done for it any more: after its answer, if it was cancelled while a thread was running it.
   */
  readonly ended: Promise<void>;
  /** How many threads have died with it, of no fault of its own. */
  deaths = 0;
  /** It joins no group: one that it was in could not be written, or its thread died. */
  alone = false;
  private resolve: (outcome: Outcome) => void = () => undefined;
  private resolveEnded: () => void = () => undefined;
  /** What is to be done once when it is in nobody's way any more. */
  private onIdle: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Where to see how far the worker is with it, once it has been sent there. */
  private sent: { readonly stages: Int32Array; readonly slot: number } | undefined;
  /** Whether it waits for another write of the same file, or did until it was sent. */
  inFileQueue = false;
  settled = false;
  /** Why it was cancelled after its claim: its answer if its commit comes to nothing. */
  private refusal: Failure | undefined;
  /** Warnings from runs that came to nothing. */
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
    this.arm(operation.writes ? Math.min(timeoutMs, longestFileWaitMs) : timeoutMs, timeoutMs);
  }

  settle(outcome: Outcome): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.timer);
    this.context.signal?.removeEventListener('abort', this.onAbort);
    const { notices } = this;
    this.resolve(notices.length === 0 ? outcome : { ...outcome, notices: [...notices, ...(outcome.notices ?? [])] });
  }

  /** Called by its current owner when that has no more to do with it. @returns false if it still needs an answer */
  endIfSettled(): boolean {
    if (!this.settled) return false;
    this.resolveEnded();
    this.becomeIdle();
    return true;
  }

  /** Call `act` once, when it has ended, or when it was answered while it only waited: then it is in nobody's way. */
  whenIdle(act: () => void): void {
    this.onIdle = act;
  }

  private becomeIdle(): void {
    const { onIdle } = this;
    this.onIdle = undefined;
    onIdle?.();
  }

  /**
   * Answer now, with this failure.
   * @returns false if the call has been claimed: then its answer waits for the outcome of its commit
   */
  cancel(refusal: Failure): boolean {
    if (this.settled) return true;
    const stage = this.sent === undefined ? Stage.queued : cancelStage(this.sent.stages, this.sent.slot);
    if (stage === Stage.claimed) {
      this.refusal = refusal;
      // Its claim may be given up, and the call wait for a lock again: its time is up then all the same.
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.cancel(refusal);
      }, claimedMs);
      return false;
    }
    this.settle(refusal);
    if (stage === Stage.queued || stage === Stage.waiting) this.becomeIdle();
    return true;
  }

  /** From now on, the worker advances its stage. */
  markSent(stages: Int32Array, slot: number): void {
    Atomics.store(stages, slot, Stage.queued);
    this.sent = { stages, slot };
  }

  /**
   * The worker has no more to do with it; its slot may be used again.
   * @param answer undefined if the worker has not begun it; after an undone one, the call is run again
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
   * The thread that had it has died, or is about to: what it has not claimed yet, it never will.
   * @returns how far the call had got
   */
  takeBack(): Stage {
    const { sent } = this;
    this.sent = undefined;
    return sent === undefined ? Stage.cancelled : cancelStage(sent.stages, sent.slot);
  }

  private readonly onAbort = (): void => {
    this.cancel(cancelled());
  };

  private arm(ms: number, remaining: number): void {
    if (this.settled) return;
    this.timer = setTimeout(() => {
      if (this.waitsForFile()) this.cancel(failure('lock_timeout', 'Failed to acquire file lock within timeout'));
      else if (remaining > ms) this.arm(remaining - ms, remaining - ms);
      else this.cancel(timedOut(this.timeoutMs));
    }, ms);
  }

  private waitsForFile(): boolean {
    const stage = this.sent === undefined ? Stage.queued : stageAt(this.sent.stages, this.sent.slot);
    return stage === Stage.waiting || (this.inFileQueue && stage === Stage.queued);
  }
}

function cancelled(): Failure {
  return failure('cancelled', 'Cancelled');
}

/** Cancel unless claimed. @returns the stage before */
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
