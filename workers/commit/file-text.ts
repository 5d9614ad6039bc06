import type { LineSummary } from '../text/separators.js';
import { release, wholeOf, type Text } from '../text/scattered-text.js';
import { hashOf } from '../text/text-file.js';

/** One state of a file's text. Each property is computed at most once. */
export class FileText {
  #text: Text;
  #hash: string | undefined;

  constructor(
    text: Text,
    readonly summary?: LineSummary,
  ) {
    this.#text = text;
  }

  /** For reading from beginning to end. */
  get content(): Text {
    return this.#text;
  }

  /** The same in contiguous memory, for another change. The answer of the change that made it must be ready. */
  get bytes(): Buffer {
    if (Buffer.isBuffer(this.#text)) return this.#text;
    const scattered = this.#text;
    this.#text = wholeOf(scattered);
    scattered.release();
    return this.#text;
  }

  /** Spec 5.4. */
  get hash(): string {
    this.#hash ??= hashOf(this.#text);
    return this.#hash;
  }

  /** Free the memory; no reader may be left. */
  release(): void {
    release(this.#text);
  }
}
