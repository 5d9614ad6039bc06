import { beginText, chunkSize, input, keepMargin, margin, marginSize } from './kernel.js';

/**
 * Puts the bytes of a text that begin at `position` into `target`.
 * @returns how many: fewer than it has room for only where the text ends
 */
export type Source = (target: Buffer, position: number) => number;

export function sourceOf(bytes: Buffer): Source {
  return (target, position) => bytes.copy(target, 0, position);
}

/** A pass over a text, chunk by chunk, in the memory of the kernel. */
export class Chunks {
  /** Where the chunk begins in the text. */
  position: number;
  length = chunkSize;
  readonly #source: Source;
  #end: number;

  /** @param start where the first chunk begins: at a multiple of their size */
  constructor(source: Source, start = 0) {
    this.#source = source;
    this.position = start;
    this.#end = start;
    beginText();
    if (start > 0) source(margin, start - marginSize);
  }

  /** Where the chunk ends in the text. */
  get end(): number {
    return this.#end;
  }

  /** Go on to the next one. @returns false if the text has ended */
  next(): boolean {
    if (this.length < chunkSize) return false;
    if (this.#end > this.position) keepMargin();
    this.position = this.#end;
    this.length = this.#source(input, this.position);
    this.#end += this.length;
    return this.length > 0;
  }
}
