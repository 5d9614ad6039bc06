import { Stage } from './task.js';

/** The worker's side of the stage that a call has reached; the main thread may cancel at any moment. */
export class Progress {
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
