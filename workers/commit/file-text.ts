import type { LineSummary } from '../text/separators.js';
import { release, wholeOf, type Text } from '../text/scattered-text.js';
import { hashOf } from '../text/text-file.js';

/** One state of a file's text. Each of its properties is computed at most once. */
export class FileText {
  #text: Text;
  #hash: string | undefined;

  constructor(
    text: Text,
    readonly summary?: LineSummary,
  ) {
    this.#text = text;
  }

  /** To be read from its beginning to its end. */
  get content(): Text {
    return this.#text;
  }

  /** The same in one memory, for another change. The answer of the change that has made it must be ready. */
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

  /** Nobody looks at it any more. */
  release(): void {
    release(this.#text);
  }
}
