import type { Reply } from '../../reliability/client.js';
import type { Operation } from './checker.js';
import type { Answered, FileCall } from './file-calls.js';

/** Orders events. One thread sees all requests and answers, so a counter serves as the clock. */
export class Clock {
  private events = 0;

  tick(): number {
    return ++this.events;
  }
}

/** All calls on one file and their answers, as the clients saw them. */
export class History {
  private readonly operations: Operation<Answered>[] = [];

  constructor(private readonly clock: Clock) {}

  /** @param begin when it was asked */
  answered(call: FileCall, begin: number, reply: Reply): void {
    this.operations.push({ action: { call, reply }, begin, end: this.clock.tick(), open: false });
  }

  /** Unanswered, and without effect from now on, since its server is dead. */
  cutOff(call: FileCall, begin: number): void {
    this.operations.push({ action: { call, reply: undefined }, begin, end: this.clock.tick(), open: true });
  }

  /** Returns the history so far, in request order, and starts a new one. */
  take(): Operation<Answered>[] {
    return this.operations.splice(0).sort((a, b) => a.begin - b.begin);
  }
}
