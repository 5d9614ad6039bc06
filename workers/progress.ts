import { OperationError } from '../src/core/errors.js';
import { Phase } from '../src/core/thread/task.js';

/** The phase of a call, or of several that share a wait. */
export interface CallPhase {
  readonly cancelled: boolean;
  advance(next: Phase): boolean;
}

/** The worker's side of a call's phase; the main thread may cancel the call at any moment. */
export class Progress implements CallPhase {
  private isOvertaken = false;

  constructor(
    private readonly phases: Int32Array,
    private readonly slot: number,
  ) {}

  get cancelled(): boolean {
    return Atomics.load(this.phases, this.slot) === Phase.cancelled;
  }

  /** The call has an outcome. A claimed call stays claimed: it may have written, which must not be forgotten. */
  end(): void {
    Atomics.compareExchange(this.phases, this.slot, this.phaseOf(Phase.running), Phase.ended);
  }

  /** The call is retried because another program was faster. A later time-out before the commit reports this reason. */
  overtake(): void {
    this.isOvertaken = true;
  }

  private phaseOf(next: Phase): Phase {
    return this.isOvertaken && next !== Phase.claimed ? Phase.overtaken : next;
  }

  /** Advance to `next`. @returns false if the call was cancelled: it must then end with nothing written */
  advance(next: Phase): boolean {
    const phase = this.phaseOf(next);
    for (;;) {
      const now = Atomics.load(this.phases, this.slot);
      if (now === Phase.cancelled) return false;
      if (Atomics.compareExchange(this.phases, this.slot, now, phase) === now) return true;
    }
  }

  /** Advance to `next`. @throws OperationError cancelled, if the call was: it must then end with nothing written */
  enter(next: Phase): void {
    if (!this.advance(next)) throw cancelledBeforeCommit();
  }
}

/**
 * Run the steps of a search until it ends or is cancelled: it may time out long before its end.
 * @throws OperationError cancelled, from inside the steps, so that they clean up
 */
export function* unlessCancelled<Result>(
  steps: Generator<undefined, Result>,
  progress: Pick<CallPhase, 'cancelled'>,
): Generator<undefined, Result> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (progress.cancelled) steps.throw(new OperationError('cancelled', 'Cancelled before all was searched'));
    yield;
  }
}

export function cancelledBeforeCommit(): OperationError {
  return new OperationError('cancelled', 'Cancelled before the commit');
}

/** Calls of a group that wait together for the lock of their file, until all are cancelled. */
export class SharedProgress implements CallPhase {
  constructor(private readonly each: readonly CallPhase[]) {}

  get cancelled(): boolean {
    return this.each.every(({ cancelled }) => cancelled);
  }

  /** Once the lock is held, the calls run one by one; each keeps waiting for its file until its turn. */
  advance(next: Phase): boolean {
    if (next === Phase.waiting) for (const one of this.each) one.advance(next);
    return !this.cancelled;
  }
}
