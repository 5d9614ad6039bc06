import { Stage, type TaskAnswer } from '../../workers/task.js';
import type { AnswerRoom } from '../held-memory.js';
import { failure, type ErrorKindName, type Failure, type LineBase, type Notice, type Outcome } from '../errors.js';
import type { Operation, OperationName, Params, Precondition } from '../operations.js';

/** What has to be known of a call to run it. */
export interface RunContext {
  readonly requestId: string;
  /** From If-Match. */
  readonly precondition?: Precondition;
  /** How the caller counts the lines that errors name; from 1 if absent. The parameters always count from 1. */
  readonly lineBase?: LineBase;
  /** For the answer of a read; without it, that may be as large as it is. */
  readonly room?: AnswerRoom | undefined;
  /** Cancels the call before its commit is claimed; after that it changes nothing. */
  readonly signal?: AbortSignal;
}

/** Runs a call anew once its answer has room for so many bytes. */
type RunWithRoom = (call: PendingCall, bytes: number) => Promise<Outcome>;

/** Waiting for a file ends after this even if the operation may take longer (contract 5.5). */
const longestFileWaitMs = 30_000;

/** One call from its arrival to its answer. It is answered exactly once. */
export class PendingCall {
  readonly answer: Promise<Outcome>;
  /** Resolves when nothing is done for it any more: later than its answer, if it was cancelled while a thread ran it. */
  readonly ended: Promise<void>;
  /** Threads that have died with it before they had begun it. */
  deaths = 0;
  /** It goes in no group: one that it was in could not be written, or its thread has died. */
  alone = false;
  private resolve: (outcome: Outcome | Promise<Outcome>) => void = () => undefined;
  private resolveEnded: () => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Where the worker's side of it is to be seen, once it has been sent there. */
  private sent: { readonly stages: Int32Array; readonly slot: number } | undefined;
  /** Waits until another write of the same file has ended, or did so until it was sent. */
  inFileQueue = false;
  settled = false;
  /** What it would have been answered had it not been claimed: it is, if nothing comes of that. */
  private refusal: Failure | undefined;
  /** Of runs that came to nothing. */
  private readonly notices: Notice[] = [];

  constructor(
    readonly operation: Operation,
    readonly params: Params[OperationName],
    readonly context: RunContext,
    private readonly timeoutMs: number,
    private readonly runWithRoom: RunWithRoom = neverUnheld,
  ) {
    this.answer = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.resolveEnded = resolve;
    });
    const { signal } = context;
    if (signal?.aborted === true) this.cancel('cancelled', 'Cancelled');
    else signal?.addEventListener('abort', this.onAbort, { once: true });
    this.arm(operation.writes ? Math.min(timeoutMs, longestFileWaitMs) : timeoutMs, timeoutMs);
  }

  settle(outcome: Outcome): void {
    if (!this.close()) return;
    const { notices } = this;
    this.resolve(notices.length === 0 ? outcome : { ...outcome, notices: [...notices, ...(outcome.notices ?? [])] });
  }

  /** Nothing is waited for any more. @returns whether something was */
  private close(): boolean {
    if (this.settled) return false;
    this.settled = true;
    clearTimeout(this.timer);
    this.context.signal?.removeEventListener('abort', this.onAbort);
    return true;
  }

  /** For whoever has it, when he has nothing more to do with it. @returns false if it still needs an answer */
  endIfSettled(): boolean {
    if (this.settled) this.resolveEnded();
    return this.settled;
  }

  /**
   * Answer with a failure of this kind, now.
   * @returns false if the call has been claimed: then its answer waits for the outcome of its commit
   */
  cancel(kind: ErrorKindName, message: string): boolean {
    if (this.settled) return true;
    const refusal = failure(kind, message);
    if (this.sent !== undefined && cancelStage(this.sent.stages, this.sent.slot) === Stage.claimed) {
      this.refusal = refusal;
      return false;
    }
    this.settle(refusal);
    return true;
  }

  /** From now on the worker moves its stage. */
  markSent(stages: Int32Array, slot: number): void {
    Atomics.store(stages, slot, Stage.queued);
    this.sent = { stages, slot };
  }

  /**
   * The worker has nothing more to do with it; its slot may be used again.
   * @param answer undefined if the worker has not begun it. What is undone leaves it to be run again
   */
  markReturned(answer: TaskAnswer[number] | undefined): void {
    this.sent = undefined;
    if (answer !== undefined && answer.ok !== null) {
      this.settle(answer);
      return;
    }
    if (answer !== undefined && 'needs' in answer && this.refusal === undefined) {
      if (this.close()) this.resolve(this.runWithRoom(this, answer.needs));
      return;
    }
    if (answer !== undefined) {
      this.alone = true;
      this.notices.push(...(answer.notices ?? []));
    }
    if (this.refusal !== undefined) this.settle(this.refusal);
  }

  /**
   * The thread that had it has died, or is about to: what it has not claimed yet it cannot claim any more.
   * @returns how far it had come
   */
  takeBack(): Stage {
    const { sent } = this;
    this.sent = undefined;
    return sent === undefined ? Stage.cancelled : cancelStage(sent.stages, sent.slot);
  }

  private readonly onAbort = (): void => {
    this.cancel('cancelled', 'Cancelled');
  };

  private arm(ms: number, remaining: number): void {
    if (this.settled) return;
    this.timer = setTimeout(() => {
      if (this.waitsForFile()) this.cancel('lock_timeout', 'Failed to acquire file lock within timeout');
      else if (remaining > ms) this.arm(remaining - ms, remaining - ms);
      else this.cancel('timed_out', `Operation timed out after ${String(this.timeoutMs / 1000)}s`);
    }, ms);
  }

  private waitsForFile(): boolean {
    const stage = this.sent === undefined ? Stage.queued : stageAt(this.sent.stages, this.sent.slot);
    return stage === Stage.waiting || (this.inFileQueue && stage === Stage.queued);
  }
}

/** Of a call whose answer may be as large as it is. */
function neverUnheld(): Promise<Outcome> {
  return Promise.resolve(failure('internal', 'Internal error', { cause: 'an answer without a limit exceeded it' }));
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
