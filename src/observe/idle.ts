/**
 * Gives memory back when the server is idle. V8 collects only on allocation, so an idle server would keep the garbage
 * of its busiest second, and a new space grown to 32 MB, for ever.
 */
import { collectGarbage } from '../core/memory/free.js';
import { idleMs } from '../core/memory/held.js';

const checkMs = 1_000;
/**
 * A full collection shrinks the new space if less than 1 kB per ms was allocated before it, averaged over at least 5 s
 * and back to the previous collection. An early minor collection keeps the last second of work out of that average.
 */
const minorMs = 2_000;
/** The first one finalizes garbage that the second one frees. */
const majorCollections = 2;

/** Detects that no requests arrive. */
export class Idle {
  private quietChecks = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param giveBack called after 8 s without requests, before the collection */
  constructor(private readonly giveBack: () => void) {}

  /** A request was answered. Called for every request, so it only resets a counter. */
  touch(): void {
    this.quietChecks = 0;
    this.timer ??= setInterval(() => {
      this.check();
    }, checkMs).unref();
  }

  /** Stop the timer at shutdown. */
  close(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    const quietMs = ++this.quietChecks * checkMs;
    if (quietMs === minorMs) collectGarbage('minor');
    if (quietMs <= idleMs) return;
    if (quietMs === idleMs + checkMs) this.giveBack();
    collectGarbage('major');
    if (quietMs < idleMs + majorCollections * checkMs) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
