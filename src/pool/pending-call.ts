import type { Caller } from '../access/permission.js';
import type { SearchPart } from '../core/search-part.js';
import { Phase, type TaskAnswer } from '../core/thread/task.js';
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
  /** The part to do, if the operation runs in parts. */
  readonly search?: SearchPart;
  /** With `--tokens`: whose call it is. */
  readonly caller?: Caller | undefined;
  /** Who calls, for the history: the name of its token, --caller, or what the client calls itself. */
  readonly madeBy?: string | undefined;
  /** Cancels the call, unless its commit has been claimed. */
  readonly signal?: AbortSignal;
}

/** Longest wait of a write for its file, even if the call's time-out is longer (spec 5.5). */
const longestFileWaitMs = 30_000;

/** Interval for retrying the cancellation of a claimed call. */
const retryCancelMs = 50;

/**
 * One call, from its arrival in the pool to its answer. It gets exactly one: the outcome of its thread, a time-out, a
 * cancellation, or the failure of a thread that died. Its progress is in memory shared with the worker (`Phase`): it
 * can be cancelled until the worker has claimed its commit.
 */
export class PendingCall {
  readonly answer: Promise<Outcome>;
  /** Resolves when no thread works on it any more, possibly later than its answer. */
  readonly ended: Promise<void>;
  /** Number of threads that died while holding it. */
  deaths = 0;
  /** Must run outside groups: a group with it could not be written, or the group's thread died. */
  alone = false;
  private resolve: (outcome: Outcome) => void = () => undefined;
  private resolveEnded: () => void = () => undefined;
  /** Callback of `whenIdle` until it is called. */
  private onIdle: (() => void) | undefined;
  /** Runs until the time-out; for a claimed call that was cancelled, until the next attempt. */
  private timer: NodeJS.Timeout | undefined;
  /** Location of its phase while a worker has it. */
  private sent: { readonly phases: Int32Array; readonly slot: number } | undefined;
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
    const phase = this.sent === undefined ? Phase.queued : cancelUnlessClaimed(this.sent.phases, this.sent.slot);
    if (phase === Phase.claimed) {
      this.refusal = refusal;
      // The worker may give up its claim and wait for a lock again; then the cancellation succeeds.
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.cancel(refusal);
      }, retryCancelMs);
      return false;
    }
    this.settle(refusal);
    if (phase === Phase.queued || phase === Phase.waiting) this.becomeIdle();
    return true;
  }

  /** The call is sent to a worker, which advances its phase from now on. */
  markSent(phases: Int32Array, slot: number): void {
    Atomics.store(phases, slot, Phase.queued);
    this.sent = { phases, slot };
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
   * @returns the previous phase
   */
  takeBack(): Phase {
    const { sent } = this;
    this.sent = undefined;
    return sent === undefined ? Phase.cancelled : cancelUnlessClaimed(sent.phases, sent.slot);
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

  private get phase(): Phase {
    return this.sent === undefined ? Phase.queued : phaseAt(this.sent.phases, this.sent.slot);
  }

  private isOvertaken(): boolean {
    return this.phase === Phase.overtaken;
  }

  private waitsForFile(): boolean {
    const { phase } = this;
    return phase === Phase.waiting || (this.inFileQueue && phase === Phase.queued);
  }
}

/** Another program was faster each time. */
function overtaken(operation: Operation, params: unknown): Failure {
  return failure('modified_concurrently', changedByOthers(subjectOf(operation, params) ?? ''));
}

function cancelled(): Failure {
  return failure('cancelled', 'Cancelled');
}

/** Set the phase to cancelled unless it is claimed. @returns the previous phase */
function cancelUnlessClaimed(phases: Int32Array, slot: number): Phase {
  for (;;) {
    const phase = phaseAt(phases, slot);
    if (phase === Phase.claimed) return phase;
    if (Atomics.compareExchange(phases, slot, phase, Phase.cancelled) === phase) return phase;
  }
}

function phaseAt(phases: Int32Array, slot: number): Phase {
  const phase = Atomics.load(phases, slot);
  return Object.values(Phase).find((each) => each === phase) ?? Phase.cancelled;
}
