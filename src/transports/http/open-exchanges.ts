import type { Budget } from '../../call/budget.js';
import { settledWithin } from '../../settled-within.js';
import type { Site } from './site.js';
import { usualPatience, type Patience } from './patience.js';
import { readSendQueues, type SendQueues } from './send-queues.js';

/** An exchange whose client must make progress. */
interface Watched {
  /** Cuts its client off if it has stalled. @returns whether only the system's send queues can tell */
  sweep(now: number): boolean;
  /** Judges a client that `sweep` could not judge, from these queues. */
  look(now: number, queues: SendQueues): void;
}

/** The exchanges of one listener and their shared state. */
export class OpenExchanges {
  private stopped: Promise<void> | undefined;
  private open = 0;
  private whenNone: () => void = () => undefined;
  /** Exchanges that did not finish immediately: an incomplete body, or an answer not yet read. */
  private readonly slow = new Set<Watched>();
  private sweeper: NodeJS.Timeout | undefined;
  /** When the system's queues were last read; Infinity during a read. */
  private lastLook = -Infinity;
  /** The listener's port, once it has one. */
  port = 0;

  constructor(
    readonly site: Site,
    /** Limit of a request body. */
    readonly maxBytes: number,
    readonly budget: Budget,
    readonly patience: Patience = usualPatience,
  ) {}

  /** Whether the listener is stopping: every answer then ends its connection. */
  get stopping(): boolean {
    return this.stopped !== undefined;
  }

  /** @param closeSocket called on the first call only */
  stop(closeSocket: () => Promise<void>): Promise<void> {
    return (this.stopped ??= closeSocket());
  }

  /** Require progress of its client from now on. */
  watch(exchange: Watched): void {
    this.slow.add(exchange);
    this.sweeper ??= setInterval(() => {
      this.sweep();
    }, this.patience.sweepMs).unref();
  }

  /** Its client need make no more progress. */
  unwatch(exchange: Watched): void {
    // Called twice per request, and the set is nearly always empty.
    if (this.slow.size > 0) this.slow.delete(exchange);
  }

  /** One more or one fewer unfinished exchange. */
  count(change: 1 | -1): void {
    this.open += change;
    if (this.open === 0) this.whenNone();
  }

  /** Resolves when all exchanges have finished, after `graceMs` at the latest; the listener is then closed. */
  async ended(graceMs: number): Promise<void> {
    if (this.open > 0) await settledWithin(new Promise<void>((resolve) => (this.whenNone = resolve)), graceMs);
    // uWebSockets.js writes data sent during a callback only after the callback has returned.
    await new Promise(setImmediate);
  }

  private sweep(): void {
    const now = performance.now();
    const inDoubt: Watched[] = [];
    for (const exchange of this.slow) if (exchange.sweep(now)) inDoubt.push(exchange);
    // A timer that fires slightly early must not postpone the read to the next sweep.
    const { lookMs, sweepMs } = this.patience;
    if (inDoubt.length > 0 && now - this.lastLook >= lookMs - sweepMs / 2) void this.look(inDoubt);
    if (this.slow.size > 0) return;
    clearInterval(this.sweeper);
    this.sweeper = undefined;
  }

  private async look(inDoubt: readonly Watched[]): Promise<void> {
    this.lastLook = Infinity;
    const queues = await readSendQueues(this.port);
    const now = performance.now();
    this.lastLook = now;
    for (const exchange of inDoubt) if (this.slow.has(exchange)) exchange.look(now, queues);
  }
}
