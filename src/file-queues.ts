import type { PendingCall } from './pending-call.js';

/** The writes of each file, one at a time, in the order of their arrival. */
export class FileQueues {
  /** By file: resolves when everything that was queued has ended. */
  private readonly tails = new Map<string, Promise<void>>();

  /**
   * Start `work` as soon as every earlier write of this file has ended; a call that was answered while it
   * waited is not started.
   * @param key the same for every name of one file
   */
  run(key: string, call: PendingCall, work: (key: string) => Promise<void>): Promise<void> {
    const before = this.tails.get(key);
    call.inFileQueue = before !== undefined;
    const start = (): Promise<void> | undefined => (call.settled ? undefined : work(key));
    const ended: Promise<void> = Promise.resolve(before === undefined ? start() : before.then(start)).finally(() => {
      if (this.tails.get(key) === ended) this.tails.delete(key);
    });
    this.tails.set(key, ended);
    return ended;
  }
}
