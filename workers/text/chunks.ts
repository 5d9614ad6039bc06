import type { Text } from './scattered-text.js';
import { beginText, chunkSize, countChunk, input, keepMargin, margin, marginAndInput, marginSize } from './kernel.js';

/**
 * Copies the bytes of a text from `position` on into `target`.
 * @returns the number of bytes: fewer than fit only at the end of the text
 */
export type Source = (target: Buffer, position: number) => number;

/** A text as a source. If it is scattered, positions may only increase. */
export function sourceOf(text: Text): Source {
  return Buffer.isBuffer(text) ? (target, position) => text.copy(target, 0, position) : text.source();
}

/** A pass over a text, chunk by chunk, in the kernel's memory. */
export class Chunks {
  /** Start of the chunk in the text. */
  position: number;
  length = chunkSize;
  /** The chunk; what lies beyond its length is left over. Valid until the next chunk. */
  readonly bytes = input;
  /** The `marginSize` bytes before the chunk, and the chunk. */
  readonly bytesWithMargin = marginAndInput;
  readonly #source: Source;
  #end: number;

  /** @param start of the first chunk: a multiple of the chunk size */
  constructor(source: Source, start = 0) {
    this.#source = source;
    this.position = start;
    this.#end = start;
    beginText();
    if (start > 0) source(margin, start - marginSize);
  }

  /** End of the chunk in the text. */
  get end(): number {
    return this.#end;
  }

  /** Advance to the next chunk. @returns false at the end of the text */
  next(): boolean {
    if (this.length < chunkSize) return false;
    if (this.#end > this.position) keepMargin();
    this.position = this.#end;
    this.length = this.#source(input, this.position);
    this.#end += this.length;
    return this.length > 0;
  }
}

/** The number of line separators in a text; consumes the chunks. */
export function countSeparators(chunks: Chunks): number {
  let separators = 0;
  while (chunks.next()) separators += countChunk(chunks.length);
  return separators;
}
