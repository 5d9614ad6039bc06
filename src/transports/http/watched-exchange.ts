import type { OpenExchanges } from './open-exchanges.js';
import type { SendQueues, StuckQueue } from './send-queues.js';

/**
 * Enforces client progress: a client must send its body or read its answer, however slowly. One that stalls is cut off
 * (spec 7).
 */
export abstract class WatchedExchange {
  /**
   * The connection is lost or the answer is complete: nothing may be sent, and uWebSockets.js objects throw if used.
   */
  protected gone = false;
  /** An answer is in progress or complete; further input is discarded. */
  protected answered = false;
  /** The server has suspended reading the body, so the client cannot make progress and must not be cut off. */
  protected paused = false;
  /** Bytes of the answer counted in the budget until the client has taken them. */
  private untaken = 0;
  private began = 0;
  private lastProgress = 0;

  constructor(protected readonly all: OpenExchanges) {}

  /** Close the connection immediately. */
  protected abstract cut(): void;
  /** Keep the listener from timing the connection out. */
  protected abstract keepWaiting(now: number): void;
  /** Try to write before the socket is reported writable; call `progress` if it accepts anything. */
  protected abstract pushOn(): void;
  /**
   * The connection's send queue in the system, if only that shows whether the client reads its answer; undefined if
   * `pushOn` shows it.
   */
  protected abstract stuckQueue(): StuckQueue | undefined;

  /**
   * Cut the client off if it has stalled for too long.
   * @param now by performance.now()
   * @returns whether only the system's send queues can tell
   */
  sweep(now: number): boolean {
    if (this.paused) return false;
    if (this.answered) return this.sweepAnswer(now);
    const { sendStallMs, longestUploadMs } = this.all.patience;
    if (now - this.began >= longestUploadMs || now - this.lastProgress >= sendStallMs) this.cut();
    else this.keepWaiting(now);
    return false;
  }

  /** Decide about a client whose `sweep` returned true, now that the system's send queues have been read. */
  look(now: number, queues: SendQueues): void {
    if (this.stuckQueue()?.hasMoved(queues) === true) this.progress();
    else if (this.isOverdue(now)) this.cut();
  }

  /** Require progress from now on: the client sends a body, or reads `untaken` bytes of an answer. */
  protected watch(untaken: number): void {
    this.untaken = untaken;
    const { budget } = this.all;
    if (untaken > 0) budget.hold(budget.sizeOf(untaken), untaken);
    this.progress();
    this.began = this.lastProgress;
    this.all.watch(this);
  }

  /** The client has made progress. */
  protected progress(): void {
    this.lastProgress = performance.now();
  }

  /** No more progress is required. */
  protected unwatch(): void {
    this.all.unwatch(this);
  }

  /** The client has the answer or has left. */
  protected releaseUntaken(): void {
    const { untaken } = this;
    const { budget } = this.all;
    if (untaken > 0) budget.release(budget.sizeOf(untaken), untaken);
  }

  private sweepAnswer(now: number): boolean {
    this.pushOn();
    if (this.gone) return false;
    this.keepWaiting(now);
    if (this.stuckQueue() !== undefined) return now - this.lastProgress >= this.all.patience.sweepMs;
    if (this.isOverdue(now)) this.cut();
    return false;
  }

  /** Whether the client seems to have read nothing of its answer for too long. */
  private isOverdue(now: number): boolean {
    const { budget, patience } = this.all;
    return now - this.lastProgress >= (budget.pressed ? patience.takeStallUnderPressureMs : patience.takeStallMs);
  }
}
