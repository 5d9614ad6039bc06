import type { OpenExchanges } from './open-exchanges.js';
import type { SendQueues, StuckQueue } from './send-queues.js';

/**
 * How long the client of an exchange is waited for: it must send its body or take its answer, however slowly. Only a
 * client that does neither is cut off (spec 7).
 */
export abstract class WatchedExchange {
  /** The connection is lost or the answer is out: nothing may be sent, and using its uWebSockets.js objects throws. */
  protected gone = false;
  /** An answer is on its way, or out; what still arrives is dropped. */
  protected answered = false;
  /** The server itself has stopped reading the body. */
  protected paused = false;
  /** Bytes of the answer that the budget counts until they are taken. */
  private untaken = 0;
  private began = 0;
  private lastProgress = 0;

  constructor(protected readonly all: OpenExchanges) {}

  /** End the connection without another word. */
  protected abstract cut(): void;
  /** Tell the listener that the client is still being waited for. */
  protected abstract keepWaiting(now: number): void;
  /** Hand over what the system would accept without having said so; call `progress` if it accepts anything. */
  protected abstract pushOn(): void;
  /** Shows whether the client takes its answer where pushing on cannot; undefined where it can. */
  protected abstract stuckQueue(): StuckQueue | undefined;

  /**
   * Cut the client off if it has made no progress for too long.
   * @param now as performance.now() counts
   * @returns whether only the system's queues can tell
   */
  sweep(now: number): boolean {
    if (this.paused) return false;
    if (this.answered) return this.sweepAnswer(now);
    const { sendStallMs, longestUploadMs } = this.all.patience;
    if (now - this.began >= longestUploadMs || now - this.lastProgress >= sendStallMs) this.cut();
    else this.keepWaiting(now);
    return false;
  }

  /** The same with the queues, if a sweep has asked for them. */
  look(now: number, queues: SendQueues): void {
    if (this.stuckQueue()?.hasMoved(queues) === true) this.progress();
    else if (this.isOverdue(now)) this.cut();
  }

  /** From now on the client must make progress: it sends a body, or takes `untaken` bytes of an answer. */
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

  /** It need not make any more. */
  protected unwatch(): void {
    this.all.unwatch(this);
  }

  /** It has the answer, or has left. */
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

  /** As far as is known, the client has taken nothing of the answer for too long. */
  private isOverdue(now: number): boolean {
    const { budget, patience } = this.all;
    return now - this.lastProgress >= (budget.pressed ? patience.takeStallUnderPressureMs : patience.takeStallMs);
  }
}
