import type { Outline } from '../text/lines/outline.js';
import { hashOf } from '../text/text-file.js';

/** One state of a file's text. Each of its properties is computed at most once. */
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
