import type { Budget } from '../../call/budget.js';
import { settledWithin } from '../../settled-within.js';
import type { Site } from './site.js';
import { usualPatience, type Patience } from './patience.js';
import { readSendQueues, type SendQueues } from './send-queues.js';

/** An exchange whose client must make progress. */
interface Watched {
  /** Cuts its client off if it has made none for too long. @returns whether only the system's queues can tell */
  sweep(now: number): boolean;
  /** The same with the queues. */
  look(now: number, queues: SendQueues): void;
}

/** The exchanges of one listener, and what they share. */
export class OpenExchanges {
  private stopped: Promise<void> | undefined;
  private open = 0;
  private whenNone: () => void = () => undefined;
  /** Those that did not end at once: their body is incomplete, or their answer has not been taken. */
  private readonly slow = new Set<Watched>();
  private sweeper: NodeJS.Timeout | undefined;
  /** When the system's queues were last looked at; Infinity while they are being looked at. */
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

  /** The listener is to accept no more connections: every answer is the last one of its connection. */
  get stopping(): boolean {
    return this.stopped !== undefined;
  }

  /** @param closeSocket called the first time */
  stop(closeSocket: () => Promise<void>): Promise<void> {
    return (this.stopped ??= closeSocket());
  }

  /** From now on its client must make progress. */
  watch(exchange: Watched): void {
    this.slow.add(exchange);
    this.sweeper ??= setInterval(() => {
      this.sweep();
    }, this.patience.sweepMs).unref();
  }

  /** Its client has finished. */
  unwatch(exchange: Watched): void {
    // Called twice for every request, and there is hardly ever one.
    if (this.slow.size > 0) this.slow.delete(exchange);
  }

  /** One more, or one fewer, that has something left to do. */
  count(change: 1 | -1): void {
    this.open += change;
    if (this.open === 0) this.whenNone();
  }

  /** Resolves when no exchange has anything left to do, after `graceMs` at the latest; the listener is closed then. */
  async ended(graceMs: number): Promise<void> {
    if (this.open > 0) await settledWithin(new Promise<void>((resolve) => (this.whenNone = resolve)), graceMs);
    // uWebSockets.js writes what was sent during a callback only after that has returned.
    await new Promise(setImmediate);
  }

  private sweep(): void {
    const now = performance.now();
    const inDoubt: Watched[] = [];
    for (const exchange of this.slow) if (exchange.sweep(now)) inDoubt.push(exchange);
    // A timer that fires a moment early must not put a look off to the next sweep.
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
