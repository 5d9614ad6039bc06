import type { PendingCall } from './pending-call.js';

/**
 * How many calls a task may hold. More would save nothing, and if the thread dies, all of them wait for the next one.
 */
const mostCalls = 64;
/** While so many tasks are under way, calls wait and gather. With only one, the threads would wait for each other. */
const mostTasks = 2;

/**
 * Reads on their way to a shard. A task costs both threads as much as ten small reads, so reads of one tick of the
 * event loop travel together; the busier the server, the more of them.
 */
export class ReadQueue {
  private waiting: PendingCall[] = [];
  private tasks = 0;
  private scheduled = false;

  /** @param send runs calls as one task; resolves with those that must be sent again, in order */
  constructor(private readonly send: (calls: readonly PendingCall[]) => Promise<readonly PendingCall[]>) {}

  get length(): number {
    return this.waiting.length;
  }

  add(call: PendingCall): void {
    this.waiting.push(call);
    if (this.scheduled || this.tasks >= mostTasks) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    while (this.tasks < mostTasks) {
      const calls = this.take();
      if (calls.length === 0) return;
      this.tasks++;
      void this.send(calls).then((again) => {
        this.tasks--;
        this.waiting.unshift(...again);
        this.flush();
      });
    }
  }

  /** Take the first calls that may travel together. */
  private take(): PendingCall[] {
    const unanswered = this.waiting.filter((call) => !call.endIfSettled());
    const [first] = unanswered;
    const other = unanswered.findIndex((call) => call.operation !== first?.operation);
    // Nobody shall wait for a call that may take long: one about all files, or about a directory.
    const most = first?.operation.filename === undefined ? 1 : mostCalls;
    const calls = unanswered.splice(0, Math.min(other === -1 ? unanswered.length : other, most));
    this.waiting = unanswered;
    return calls;
  }
}
