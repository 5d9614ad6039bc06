import type { CheckedCall } from '../../call/call.js';
import { idleMs } from '../../core/memory/held.js';

/** Longer bodies are rarely repeated; keeping them would waste memory. */
const mostBytes = 512;
const mostCalls = 8192;

/** Caches the checked call of repeated bodies: parsing and validating would be half the cost of a cached read. */
export class RepeatedReads {
  private readonly calls = new Map<string, CheckedCall>();

  /** Cache key of a body; undefined if it is too long. */
  keyOf(body: Buffer): string | undefined {
    return body.length > mostBytes ? undefined : body.toString('latin1');
  }

  find(key: string): CheckedCall | undefined {
    return this.calls.get(key);
  }

  remember(key: string, call: CheckedCall): void {
    if (this.calls.size === 0) {
      // Cleared together: each call then costs one more parse, and an idle server holds nothing.
      setTimeout(() => {
        this.calls.clear();
      }, idleMs).unref();
    }
    if (this.calls.size < mostCalls) this.calls.set(key, call);
  }
}
