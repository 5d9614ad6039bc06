import { Stage } from './task.js';

/** Of a call, or of several that go the same way for a while. */
export interface Stages {
  readonly cancelled: boolean;
  advance(next: Stage): boolean;
}

/** The worker's side of the stage that a call has reached; the main thread may cancel at any moment. */
export class Progress implements Stages {
  constructor(
    private readonly stages: Int32Array,
    private readonly slot: number,
  ) {}

  get cancelled(): boolean {
    return Atomics.load(this.stages, this.slot) === Stage.cancelled;
  }

  /** The call has an outcome. What was claimed stays claimed: whether it was written must not be forgotten. */
  end(): void {
    Atomics.compareExchange(this.stages, this.slot, Stage.running, Stage.ended);
  }

  /** Move on to `next`. @returns false if the call was cancelled: it must then end with nothing written */
  advance(next: Stage): boolean {
    for (;;) {
      const now = Atomics.load(this.stages, this.slot);
      if (now === Stage.cancelled) return false;
      if (Atomics.compareExchange(this.stages, this.slot, now, next) === now) return true;
    }
  }
}

/** Calls of a group while they do the same: wait for the lock of their file. It goes on as long as one of them does. */
export class SharedProgress implements Stages {
  constructor(private readonly each: readonly Stages[]) {}

  get cancelled(): boolean {
    return this.each.every(({ cancelled }) => cancelled);
  }

  /** They run one by one when the lock is taken; until its turn has come, each still waits for its file. */
  advance(next: Stage): boolean {
    if (next === Stage.waiting) for (const one of this.each) one.advance(next);
    return !this.cancelled;
  }
}
