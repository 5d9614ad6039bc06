import type { PendingCall } from './pending-call.js';

/** --max-concurrent and --max-queue: how many operations run at once, and how many more may wait. */
export class Gate {
  private running = 0;
  /** In addition to those that run. */
  readonly waiting = new Set<PendingCall>();

  constructor(
    private readonly maxConcurrent: number,
    private readonly maxQueue: number,
    private readonly start: (call: PendingCall) => void,
  ) {}

  /** Whether one more could neither enter nor wait. */
  get full(): boolean {
    return this.running >= this.maxConcurrent && this.waiting.size >= this.maxQueue;
  }

  enter(call: PendingCall): void {
    if (this.running >= this.maxConcurrent) {
      this.waiting.add(call);
      // If it is answered while it waits, since its time is up, it makes room for another.
      void call.answer.then(() => {
        if (this.waiting.delete(call)) call.endIfSettled();
      });
      return;
    }
    this.running++;
    this.start(call);
  }

  /** An operation has ended. */
  leave(): void {
    this.running--;
    const [next] = this.waiting;
    if (next === undefined) return;
    this.waiting.delete(next);
    this.enter(next);
  }
}
