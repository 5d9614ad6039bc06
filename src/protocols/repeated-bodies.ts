import { noTexts, parseJson, type Parsed, type ReadBody } from '../json/json-body.js';
import { idleMs } from '../memory/held.js';

/** Longer bodies are rarely sent twice, and would be held for nothing. */
const maxBytes = 512;
const maxBodies = 8192;

/**
 * Parses bodies, and returns the same value again for the same bytes: parsing and validating the parameters would be
 * half the cost of a read that is answered from the cache. Values must not be changed.
 */
export class RepeatedBodies {
  private readonly parsed = new Map<string, Parsed>();

  /** @param readBody for those that are too long to be kept */
  constructor(private readonly readBody: ReadBody) {}

  parse(bytes: Buffer): ReturnType<ReadBody> {
    if (bytes.length > maxBytes) return this.readBody(bytes, noTexts);
    const text = bytes.toString('latin1');
    const known = this.parsed.get(text);
    if (known !== undefined) return known;
    const parsed = parseJson(bytes);
    if (parsed.ok) this.remember(text, parsed);
    return parsed;
  }

  private remember(text: string, parsed: Parsed): void {
    if (this.parsed.size === 0) {
      // All of them together, which costs each one parse, and an idle server nothing.
      setTimeout(() => {
        this.parsed.clear();
      }, idleMs).unref();
    }
    if (this.parsed.size < maxBodies) this.parsed.set(text, parsed);
  }
}
