/**
 * Gives memory back when nothing was asked for a while. V8 collects only when something is allocated, so a server
 * that has fallen silent would keep the garbage of its busiest second, and a new space that has grown to 32 MB, for ever.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** As worker threads and the read cache (contract 1.1). */
const idleMs = 8_000;
/** Often enough that the collections are over 11 s after the last request. */
const checkMs = 1_000;
/** The new space shrinks in a collection before which little was allocated: never in the first one, and not always in the second. */
const collections = 3;

export class Idle {
  private quietChecks = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param giveBack called when nothing was asked for 8 s, before garbage is collected */
  constructor(private readonly giveBack: () => void) {}

  /** Something was asked. Called for every request: it only sets a number. */
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
    const collected = ++this.quietChecks - idleMs / checkMs;
    if (collected < 1) return;
    if (collected === 1) this.giveBack();
    collectGarbage();
    if (collected < collections) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

let collect: (() => void) | undefined;

/** 5 ms on the main thread, which has nothing else to do. Exposed late and only here, since Node has no other way to ask. */
function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    const exposed: unknown = runInNewContext('gc');
    setFlagsFromString('--no-expose-gc');
    collect = typeof exposed === 'function' ? () => void Reflect.apply(exposed, undefined, []) : () => undefined;
  }
  collect();
}
