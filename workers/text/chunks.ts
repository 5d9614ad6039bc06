import type { Text } from './scattered-text.js';
import { beginText, chunkSize, countChunk, input, keepMargin, margin, marginSize } from './kernel.js';

/**
 * Copies the bytes of a text from `position` on into `target`.
 * @returns how many bytes: fewer than fit only at the end of the text
 */
export type Source = (target: Buffer, position: number) => number;

/** A text as a source. Of one that does not lie in one memory, the positions may only go up. */
export function sourceOf(text: Text): Source {
  return Buffer.isBuffer(text) ? (target, position) => text.copy(target, 0, position) : text.source();
}

/** A pass over a text, chunk by chunk, in the memory of the kernel. */
export class Chunks {
  /** Where in the text the chunk begins. */
  position: number;
  length = chunkSize;
  readonly #source: Source;
  #end: number;

  /** @param start where the first chunk begins: a multiple of the chunk size */
  constructor(source: Source, start = 0) {
    this.#source = source;
    this.position = start;
    this.#end = start;
    beginText();
    if (start > 0) source(margin, start - marginSize);
  }

  /** Where in the text the chunk ends. */
  get end(): number {
    return this.#end;
  }

  /** Go on to the next chunk. @returns false at the end of the text */
  next(): boolean {
    if (this.length < chunkSize) return false;
    if (this.#end > this.position) keepMargin();
    this.position = this.#end;
    this.length = this.#source(input, this.position);
    this.#end += this.length;
    return this.length > 0;
  }
}

/** How many line separators a text has; the chunks are then behind the last one. */
export function countSeparators(chunks: Chunks): number {
  let separators = 0;
  while (chunks.next()) separators += countChunk(chunks.length);
  return separators;
}
