import { chunkSize } from '../kernel.js';

/** Position of a separator in a text: its chunk, and its number there, counted from 1; 0 is the start of the chunk. */
export interface SeparatorPlace {
  readonly chunk: number;
  readonly separator: number;
}

/** One number per chunk of a text: enough to find a line by reading only the chunk that holds it. */
export class LineIndex {
  /** The number of separators before each chunk. */
  readonly #before: number[] = [];

  /** The number of chunks of the text. */
  get length(): number {
    return this.#before.length;
  }

  get byteLength(): number {
    return this.#before.length * 8;
  }

  /** @param separators number of separators before the text's next chunk */
  add(separators: number): void {
    this.#before.push(separators);
  }

  /** The place of the text's `wanted`th separator; if there are fewer, one past the last one of the last chunk. */
  find(wanted: number): SeparatorPlace {
    // Find the last chunk with fewer separators before it.
    let chunk = 0;
    for (let behind = this.#before.length; behind - chunk > 1;) {
      const middle = (chunk + behind) >>> 1;
      if ((this.#before[middle] ?? 0) < wanted) chunk = middle;
      else behind = middle;
    }
    return { chunk, separator: Math.min(wanted - (this.#before[chunk] ?? 0), chunkSize + 1) };
  }
}
