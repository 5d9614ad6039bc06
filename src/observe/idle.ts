/**
 * Gives memory back after a while without requests. V8 collects only when something is allocated, so a server that has
 * fallen silent would keep the garbage of its busiest second, and a new space that has grown to 32 MB, for ever.
 */
import { collectGarbage } from '../core/memory/free.js';
import { idleMs } from '../core/memory/held.js';

const checkMs = 1_000;
/**
 * V8 shrinks the new space in a full collection if less than 1 kB per ms was allocated before it, averaged over at
 * least 5 s and back to an earlier collection. Without a minor collection soon, the last second of work would count.
 */
const minorMs = 2_000;
/** The first one finds garbage that only the second one frees. */
const majorCollections = 2;

/** Notices when requests have stopped coming. */
export class Idle {
  private quietChecks = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param giveBack called after 8 s without requests, before garbage is collected */
  constructor(private readonly giveBack: () => void) {}

  /** A request has been answered. Called for every one: it only sets a number. */
  touch(): void {
    this.quietChecks = 0;
    this.timer ??= setInterval(() => {
      this.check();
    }, checkMs).unref();
  }

  /** The server ends. */
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
