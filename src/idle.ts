/**
 * Gives memory back when nothing was asked for a while. V8 collects only when something is allocated, so a server
 * that has fallen silent would keep the garbage of its busiest second, and a new space that has grown to 32 MB, for ever.
 */
import { runInNewContext } from 'node:vm';
import { v8 } from './late-v8.js';

/** As worker threads and the read cache (contract 1.1). */
const idleMs = 8_000;
const checkMs = 1_000;
/**
 * V8 gives back the new space in a full collection before which less than 1 kB was allocated in a ms, over 5 s at least
 * and back to some collection before: without a small one soon, what the last second of work has left would count.
 */
const minorMs = 2_000;
/** The first one finds what the second one sets free. */
const majorCollections = 2;

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

let collect: ((...how: readonly object[]) => void) | undefined;

/** 5 ms on the main thread, which has nothing else to do. Exposed late and only here, since Node has no other way to ask. */
function collectGarbage(which: 'minor' | 'major'): void {
  if (collect === undefined) {
    v8().setFlagsFromString('--expose-gc');
    const exposed: unknown = runInNewContext('gc');
    v8().setFlagsFromString('--no-expose-gc');
    collect = typeof exposed === 'function' ? (...how) => void Reflect.apply(exposed, undefined, how) : () => undefined;
  }
  // Node 20 takes whatever it is given for a wish for a minor one.
  if (which === 'minor') collect({ type: 'minor' });
  else collect();
}
