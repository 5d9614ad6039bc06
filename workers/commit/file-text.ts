import type { Outline } from '../text/lines/outline.js';
import { wholeOf, type Text } from '../text/scattered-text.js';
import { hashOf } from '../text/text-file.js';

/** One state of a file's text. Each of its properties is computed at most once. */
export class FileText {
  #text: Text;
  #hash: string | undefined;

  constructor(
    text: Text,
    readonly outline?: Outline,
  ) {
    this.#text = text;
  }

  /** To be read from its beginning to its end. */
  get content(): Text {
    return this.#text;
  }

  /** The same in one memory, for another change. */
  get bytes(): Buffer {
    if (!Buffer.isBuffer(this.#text)) this.#text = wholeOf(this.#text);
    return this.#text;
  }

  /** Contract 5.4. */
  get hash(): string {
    this.#hash ??= hashOf(this.#text);
    return this.#hash;
  }
}
