/**
 * Memory that is used again, or freed at once. The system zeroes fresh memory page by page, and the main thread's
 * collector runs for every 50 MB that it has been given to free: together, a quarter of the cost of a read of 1 MB.
 */

import { freeMemory } from '../../src/memory/free.js';
import { mostSpareMemory } from '../task.js';

/** Memory larger than needed by more than this factor would be wasted. */
const mostWaste = 1.25;
/** Smaller texts are cheap to allocate, and share their memory with others. */
const leastTaken = 262_144;
/** Larger ones cost more than they gain: what is kept of them is memory that the next request cannot use. */
const mostKept = 2_097_152;

/** Memory that is kept for the next request of its thread. */
export class SpareMemory {
  #memory: ArrayBuffer[] = [];
  /** What was handed out whole, from here. Only that is taken back: others may still read parts of any other memory. */
  readonly #own = new WeakSet<ArrayBuffer>();

  /** @param most how many bytes are kept in all */
  constructor(readonly most: number) {}

  give(memory: readonly ArrayBuffer[]): void {
    let kept = 0;
    const surplus: ArrayBuffer[] = [];
    this.#memory = [...memory, ...this.#memory].filter((each) => {
      const fits = kept + each.byteLength <= this.most;
      if (fits) kept += each.byteLength;
      else surplus.push(each);
      return fits;
    });
    freeMemory(surplus);
  }

  /**
   * Give back texts that nobody uses any more; some may be parts of others.
   * @param again the same files are read again next, so that large ones are kept as well
   */
  giveTexts(texts: readonly Buffer[], again = false): void {
    const own = this.#ownOf(texts);
    const isKept = ({ byteLength }: ArrayBuffer): boolean => again || byteLength <= mostKept;
    this.give(own.filter(isKept));
    freeMemory(own.filter((each) => !isKept(each)));
  }

  /** As giveTexts, but none of it is kept. */
  free(texts: readonly Buffer[]): void {
    freeMemory(this.#ownOf(texts));
  }

  /** @returns so many bytes of any content, alone in their memory or in one that Node shares out */
  takeBytes(bytes: number): Buffer {
    if (bytes < leastTaken) return Buffer.allocUnsafe(bytes);
    const taken = this.take(bytes);
    this.#own.add(taken.buffer);
    return taken.subarray(0, bytes);
  }

  /** All of these, one behind the other, in memory as of takeBytes. */
  concat(parts: readonly Buffer[]): Buffer {
    const bytes = this.takeBytes(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) at += part.copy(bytes, at);
    return bytes;
  }

  /** The memory of these texts that was handed out whole, each once. */
  #ownOf(texts: readonly Buffer[]): ArrayBuffer[] {
    const memory = new Set(texts.map(({ buffer }) => buffer));
    return [...memory].filter((each): each is ArrayBuffer => each instanceof ArrayBuffer && this.#own.has(each));
  }

  /** @returns at least so many bytes of any content */
  take(bytes: number): Buffer<ArrayBuffer> {
    const at = this.#memory.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes * mostWaste);
    const [found] = at === -1 ? [] : this.#memory.splice(at, 1);
    return found === undefined ? Buffer.allocUnsafeSlow(bytes) : Buffer.from(found);
  }
}

/** Of answers that have been sent, given back by the main thread (workers/task.ts). */
export const spareAnswers = new SpareMemory(mostSpareMemory);
/** Of texts of files, before and after an edit. */
export const spareTexts = new SpareMemory(12_582_912);
