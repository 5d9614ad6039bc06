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

  /** The call has an outcome. A claimed call stays claimed: that it may have been written must not be forgotten. */
  end(): void {
    Atomics.compareExchange(this.phases, this.slot, this.phaseOf(Phase.running), Phase.ended);
  }

  /** It begins again on what another program has left: if its time is up before its commit, that is why. */
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
 * The steps of a search, until it is cancelled: its time may be up long before its end.
 * @throws OperationError cancelled, through the steps, so that they clean up
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

/**
 * Calls of a group that wait together for the lock of their file. The wait continues while at least one still wants it.
 */
export class SharedProgress implements CallPhase {
  constructor(private readonly each: readonly CallPhase[]) {}

  get cancelled(): boolean {
    return this.each.every(({ cancelled }) => cancelled);
  }

  /** Once the lock is taken they run one by one; until its turn, each is still waiting for its file. */
  advance(next: Phase): boolean {
    if (next === Phase.waiting) for (const one of this.each) one.advance(next);
    return !this.cancelled;
  }
}
