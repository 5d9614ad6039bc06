import { OperationError } from '../src/core/errors.js';
import { Stage } from '../src/core/thread/task.js';

/** The stage of a call, or of several that share a wait. */
export interface Stages {
  readonly cancelled: boolean;
  advance(next: Stage): boolean;
}

/** The worker's side of a call's stage; the main thread may cancel the call at any moment. */
export class Progress implements Stages {
  private isOvertaken = false;

  constructor(
    private readonly stages: Int32Array,
    private readonly slot: number,
  ) {}

  get cancelled(): boolean {
    return Atomics.load(this.stages, this.slot) === Stage.cancelled;
  }

  /** The call has an outcome. A claimed call stays claimed: that it may have been written must not be forgotten. */
  end(): void {
    Atomics.compareExchange(this.stages, this.slot, this.stageOf(Stage.running), Stage.ended);
  }

  /** It begins again on what another program has left: if its time is up before its commit, that is why. */
  overtake(): void {
    this.isOvertaken = true;
  }

  private stageOf(next: Stage): Stage {
    return this.isOvertaken && next !== Stage.claimed ? Stage.overtaken : next;
  }

  /** Advance to `next`. @returns false if the call was cancelled: it must then end with nothing written */
  advance(next: Stage): boolean {
    const stage = this.stageOf(next);
    for (;;) {
      const now = Atomics.load(this.stages, this.slot);
      if (now === Stage.cancelled) return false;
      if (Atomics.compareExchange(this.stages, this.slot, now, stage) === now) return true;
    }
  }

  /** Advance to `next`. @throws OperationError cancelled, if the call was: it must then end with nothing written */
  enter(next: Stage): void {
    if (!this.advance(next)) throw cancelledBeforeCommit();
  }
}

/**
 * The steps of a search, until it is cancelled: its time may be up long before its end.
 * @throws OperationError cancelled, through the steps, so that they clean up
 */
export function* unlessCancelled<Result>(
  steps: Generator<undefined, Result>,
  progress: Pick<Stages, 'cancelled'>,
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
export class SharedProgress implements Stages {
  constructor(private readonly each: readonly Stages[]) {}

  get cancelled(): boolean {
    return this.each.every(({ cancelled }) => cancelled);
  }

  /** Once the lock is taken they run one by one; until its turn, each is still waiting for its file. */
  advance(next: Stage): boolean {
    if (next === Stage.waiting) for (const one of this.each) one.advance(next);
    return !this.cancelled;
  }
}
