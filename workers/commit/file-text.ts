import type { Outline } from '../text/lines/outline.js';
import { hashOf } from '../text/text-file.js';

/** The text of a file in one of its states. What is known of it is not looked for again. */
export class FileText {
  #hash: string | undefined;

  constructor(
    readonly bytes: Buffer,
    readonly outline?: Outline,
  ) {}

  /** Contract 5.4. */
  get hash(): string {
    this.#hash ??= hashOf(this.bytes);
    return this.#hash;
  }
}
