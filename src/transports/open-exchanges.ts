import type { Site } from './http.js';
import { Budget, budgetBytes } from './http-budget.js';

/** How often clients that have to get on are looked at. */
const sweepMs = 1000;

interface Watched {
  /** Cut the client off if it has not got on for too long. `now`: as performance.now() tells. */
  sweep(now: number): void;
}

/** The exchanges of one listener, and what they have in common. */
export class OpenExchanges {
  readonly budget: Budget;
  /** The listener accepts nothing more: every answer is the last of its connection. */
  stopping = false;
  private open = 0;
  private whenNone: () => void = () => undefined;
  /** Those that did not end at once: their body is incomplete, or their answer not taken. */
  private readonly slow = new Set<Watched>();
  private sweeper: NodeJS.Timeout | undefined;

  constructor(
    readonly site: Site,
    /** Limit of a request body. */
    readonly maxBytes: number,
  ) {
    this.budget = new Budget(budgetBytes(maxBytes));
  }

  /** Its client has to get on from now on. */
  watch(exchange: Watched): void {
    this.slow.add(exchange);
    this.sweeper ??= setInterval(() => {
      this.sweep();
    }, sweepMs).unref();
  }

  /** Its client has done so. */
  unwatch(exchange: Watched): void {
    this.slow.delete(exchange);
  }

  /** One more, or one fewer, that still has something to do. */
  count(change: 1 | -1): void {
    this.open += change;
    if (this.open === 0) this.whenNone();
  }

  /** Resolves when none has anything left to do, after `graceMs` at the latest; the listener is closed then. */
  async ended(graceMs: number): Promise<void> {
    if (this.open > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        this.whenNone = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    // uWebSockets.js writes what was sent during a callback only when that has returned.
    await new Promise(setImmediate);
  }

  private sweep(): void {
    const now = performance.now();
    for (const exchange of this.slow) exchange.sweep(now);
    if (this.slow.size > 0) return;
    clearInterval(this.sweeper);
    this.sweeper = undefined;
  }
}
