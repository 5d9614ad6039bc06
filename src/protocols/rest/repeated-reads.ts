import type { CheckedCall } from '../../call/call.js';
import { idleMs } from '../../core/memory/held.js';

/** Longer bodies are rarely sent twice, and would be held for nothing. */
const mostBytes = 512;
const mostCalls = 8192;

/**
 * The calls of bodies that come again: parsing and validating the parameters would be half the cost of a read that is
 * answered from the cache.
 */
export class RepeatedReads {
  private readonly calls = new Map<string, CheckedCall>();

  /** By what the call of a body is known; undefined if the body is too long. */
  keyOf(body: Buffer): string | undefined {
    return body.length > mostBytes ? undefined : body.toString('latin1');
  }

  find(key: string): CheckedCall | undefined {
    return this.calls.get(key);
  }

  remember(key: string, call: CheckedCall): void {
    if (this.calls.size === 0) {
      // All of them together, which costs each one parse, and an idle server nothing.
      setTimeout(() => {
        this.calls.clear();
      }, idleMs).unref();
    }
    if (this.calls.size < mostCalls) this.calls.set(key, call);
  }
}
