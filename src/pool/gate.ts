import type { PendingCall } from './pending-call.js';

/** --max-concurrent and --max-queue: how many operations run at once, and how many more may wait. */
export class Gate {
  private running = 0;
  /** In addition to those that run. */
  readonly waiting: PendingCall[] = [];

  constructor(
    private readonly maxConcurrent: number,
    private readonly maxQueue: number,
    private readonly start: (call: PendingCall) => void,
  ) {}

  /** Whether one more could neither enter nor wait. */
  get full(): boolean {
    return this.running >= this.maxConcurrent && this.waiting.length >= this.maxQueue;
  }

  enter(call: PendingCall): void {
    if (this.running >= this.maxConcurrent) {
      this.waiting.push(call);
      void call.answer.then(() => {
        this.giveUp(call);
      });
      return;
    }
    this.running++;
    this.start(call);
  }

  /** An operation has ended. */
  leave(): void {
    this.running--;
    const next = this.waiting.shift();
    if (next !== undefined) this.enter(next);
  }

  /** One that is answered while it waits, since its time is up, makes room for another. */
  private giveUp(call: PendingCall): void {
    const place = this.waiting.indexOf(call);
    if (place !== -1) this.waiting.splice(place, 1);
  }
}
