/**
 * Memory outside of V8's heap, to which the collector sees no hurry: that of texts is freed at once, that of answers is
 * used again.
 */
import { freeMemory } from '../../src/core/memory/free.js';
import { mostSpareMemory } from '../../src/core/thread/task.js';

/** Memory larger than needed by more than this factor would be wasted. */
const mostWaste = 1.25;
/** Smaller texts are cheap to allocate, and share their memory with others. */
const leastOwn = 262_144;

/**
 * Memory of answers that have been sent, given back by the main thread (src/core/thread/task.ts). Left to the collector, reads
 * of 1 MB that are not cached take 1.3 to 1.6 times the processor time, and the server 145 MB instead of 94; freed by the
 * main thread, 1.9 to 2.4 times.
 */
export class SpareAnswers {
  #memory: ArrayBuffer[] = [];

  give(memory: readonly ArrayBuffer[]): void {
    let kept = 0;
    const surplus: ArrayBuffer[] = [];
    this.#memory = [...memory, ...this.#memory].filter((each) => {
      const fits = kept + each.byteLength <= mostSpareMemory;
      if (fits) kept += each.byteLength;
      else surplus.push(each);
      return fits;
    });
    freeMemory(surplus);
  }

  /** @returns at least so many bytes of any content */
  take(bytes: number): Buffer<ArrayBuffer> {
    const at = this.#memory.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes * mostWaste);
    const [found] = at === -1 ? [] : this.#memory.splice(at, 1);
    return found === undefined ? Buffer.allocUnsafeSlow(bytes) : Buffer.from(found);
  }
}

/** Of texts of files, before and after an edit. Left to the collector, edits of 1 MB take 160 MB instead of 100. */
class TextMemory {
  /** What was handed out whole, from here. Only that is freed: others may still read parts of any other memory. */
  readonly #own = new WeakSet<ArrayBuffer>();

  /** @returns so many bytes of any content, alone in their memory or in one that Node shares out */
  takeBytes(bytes: number): Buffer {
    if (bytes < leastOwn) return Buffer.allocUnsafe(bytes);
    const taken = Buffer.allocUnsafeSlow(bytes);
    this.#own.add(taken.buffer);
    return taken;
  }

  /** All of these, one behind the other, in memory as of takeBytes. */
  concat(parts: readonly Buffer[]): Buffer {
    const bytes = this.takeBytes(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) at += part.copy(bytes, at);
    return bytes;
  }

  /** Free texts that nobody uses any more; some may be parts of others. */
  giveTexts(texts: readonly Buffer[]): void {
    const memory = new Set(texts.map(({ buffer }) => buffer));
    freeMemory(
      [...memory].filter((each): each is ArrayBuffer => each instanceof ArrayBuffer && this.#own.delete(each)),
    );
  }
}

export const spareAnswers = new SpareAnswers();
export const spareTexts = new TextMemory();
