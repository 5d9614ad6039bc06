import type { PendingCall } from './pending-call.js';

/** The writes of each file, one at a time, in the order of their arrival. */
export class FileQueues {
  /** By file: what waits until the write that is under way has ended. */
  private readonly queues = new Map<string, PendingCall[]>();

  /** @param send runs calls of a file; resolves with those that are to be run again, in order. Never rejects */
  constructor(private readonly send: (key: string, calls: readonly PendingCall[]) => Promise<readonly PendingCall[]>) {}

  /**
   * Run a call as soon as every earlier write of this file has ended; one that was answered while it waited is not
   * begun. It is settled and ended in time.
   * @param key the same for every name of one file
   */
  add(key: string, call: PendingCall): void {
    const queue = this.queues.get(key);
    call.inFileQueue = queue !== undefined;
    if (queue !== undefined) {
      queue.push(call);
      return;
    }
    const begun = [call];
    this.queues.set(key, begun);
    void this.drain(key, begun);
  }

  private async drain(key: string, queue: PendingCall[]): Promise<void> {
    for (let call = queue.shift(); call !== undefined; call = queue.shift()) {
      if (!call.endIfSettled()) queue.unshift(...(await this.send(key, [call])));
    }
    this.queues.delete(key);
  }
}
