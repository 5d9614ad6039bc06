import { chunkSize } from '../kernel.js';

/** Where a separator is in a text: in which chunk, and which one there, counted from 1; 0 is where the chunk begins. */
export interface SeparatorPlace {
  readonly chunk: number;
  readonly separator: number;
}

/** A number for each chunk of a text: enough to find a line by reading only the chunk that it is in. */
export class LineIndex {
  /** Separators before each chunk. */
  readonly #before: number[] = [];

  /** How many chunks the text has. */
  get length(): number {
    return this.#before.length;
  }

  get byteLength(): number {
    return this.#before.length * 8;
  }

  /** @param separators of the text before its next chunk */
  add(separators: number): void {
    this.#before.push(separators);
  }

  /** The place of the `wanted`th separator of the text. If it has fewer: one behind those of the last chunk. */
  find(wanted: number): SeparatorPlace {
    // The last chunk with fewer before it.
    let chunk = 0;
    for (let behind = this.#before.length; behind - chunk > 1;) {
      const middle = (chunk + behind) >>> 1;
      if ((this.#before[middle] ?? 0) < wanted) chunk = middle;
      else behind = middle;
    }
    return { chunk, separator: Math.min(wanted - (this.#before[chunk] ?? 0), chunkSize + 1) };
  }
}
