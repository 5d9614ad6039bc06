import { Stage, type Task } from '../workers/task.js';
import { failure, type Failure, type Notice } from './errors.js';
import { Lane, type StartThread } from './lane.js';
import type { PendingCall } from './pending-call.js';

/** A call that is not begun by so many threads, each of which died, is answered: something is wrong with them all. */
const mostThreads = 5;

/** One worker thread at a time and what is on its way to it. It starts with the first call and is given back when idle. */
export class Shard {
  private lane: Lane;
  private readonly waiting: (() => void)[] = [];
  /** Calls that are here, waiting ones included. */
  load = 0;
  /** Those of them that write, and may keep the thread for as long as a disk takes. */
  writes = 0;

  constructor(private readonly start: StartThread) {
    this.lane = new Lane(start);
  }

  /** Run a call in the thread and settle it. Resolves when the thread has nothing more to do with it. */
  async run(call: PendingCall): Promise<void> {
    const write = call.operation.writes ? 1 : 0;
    this.load++;
    this.writes += write;
    try {
      for (let attempt = 1; !call.settled; attempt++) {
        while (!this.lane.hasRoom) await new Promise<void>((resolve) => this.waiting.push(resolve));
        if (await this.dispatch(call, attempt === mostThreads)) return;
      }
    } finally {
      this.load--;
      this.writes -= write;
      this.waiting.shift()?.();
    }
  }

  /** Remove the temporary files that killed threads and processes left. @returns what went wrong, for the log */
  async sweep(): Promise<readonly Notice[]> {
    // The function of this name in workers/main.ts.
    const { notices } = await (await this.lane.thread()).run(undefined, { name: 'sweep' });
    return notices ?? [];
  }

  async close(): Promise<void> {
    await this.lane.close();
  }

  /**
   * A thread that dies costs only the call that it was running; those that it had not begun, that waited for a
   * lock, or whose answers died with it go to its successor.
   * @returns false if the call is to be run again, by that successor
   */
  private async dispatch(call: PendingCall, last: boolean): Promise<boolean> {
    const { lane } = this;
    const slot = lane.take();
    call.markSent(lane.stages, slot);
    const { precondition } = call.context;
    const task: Task = {
      operation: call.operation.name,
      params: call.params,
      slot,
      ...(precondition === undefined ? {} : { precondition }),
    };
    try {
      const outcome = await (await lane.thread()).run(task);
      call.markReturned();
      lane.giveBack(slot);
      call.settle(outcome);
    } catch (error) {
      this.replace(lane);
      // The dying thread may still be at work: from here on it cannot claim what it has not claimed yet.
      const stage = call.takeBack();
      if (stage !== Stage.running && stage !== Stage.claimed && !last) return false;
      call.settle(threadDied(error, stage));
      if (call.operation.writes) void this.sweep().catch(() => undefined);
    }
    return true;
  }

  /** A lane whose thread has died is not used again: nobody knows when the last of that thread is gone. */
  private replace(lane: Lane): void {
    if (this.lane !== lane) return;
    this.lane = new Lane(this.start);
    void lane.close();
  }
}

function threadDied(error: unknown, stage: Stage): Failure {
  const cause = `the worker thread died: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  if (stage !== Stage.claimed) return failure('internal', 'Internal error', { cause });
  return failure('internal', 'Internal error', {
    cause,
    data: { applied: 'unknown' },
    details: 'The edit may or may not be in the file: read it before repeating anything.',
  });
}
