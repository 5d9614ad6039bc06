import type { Reply } from '../../reliability/client.js';
import type { Operation } from './checker.js';
import type { Answered, FileCall } from './file-calls.js';

/** Puts events in order. Everything that is asked and answered is seen by one thread, so counting is a clock. */
export class Clock {
  private events = 0;

  tick(): number {
    return ++this.events;
  }
}

/** All that was asked of one file and answered, as the clients saw it. */
export class History {
  private readonly operations: Operation<Answered>[] = [];

  constructor(private readonly clock: Clock) {}

  /** @param begin when it was asked */
  answered(call: FileCall, begin: number, reply: Reply): void {
    this.operations.push({ action: { call, reply }, begin, end: this.clock.tick(), open: false });
  }

  /** No answer came, and from now on it can have no effect: its server is dead. */
  cutOff(call: FileCall, begin: number): void {
    this.operations.push({ action: { call, reply: undefined }, begin, end: this.clock.tick(), open: true });
  }

  /** What was noted so far, in the order in which it was asked; from now on another history begins. */
  take(): Operation<Answered>[] {
    return this.operations.splice(0).sort((a, b) => a.begin - b.begin);
  }
}
