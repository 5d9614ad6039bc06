import { freeMemory } from '../../../src/memory/free.js';

/** Places in a text, in bytes, ascending: what the classes and arrays that hold them have in common. */
export interface Places {
  readonly length: number;
  at(index: number): number | undefined;
}

/** How many places one block holds: 64 KB. */
const blockSize = 16_384;
/** Most strings are found once. */
const firstSize = 16;

/**
 * Places that are found one after the other. A large text may have millions of them: in an array of numbers each takes
 * twice the memory, and an array that is copied to grow leaves as much again to the collector, which does not hurry.
 */
export class Offsets implements Places {
  readonly #full: Uint32Array<ArrayBuffer>[] = [];
  /** The block that is being filled. */
  #last = new Uint32Array(firstSize);
  #used = 0;

  get length(): number {
    return this.#full.length * blockSize + this.#used;
  }

  push(offset: number): void {
    if (this.#used === this.#last.length) this.#makeRoom();
    this.#last[this.#used++] = offset;
  }

  at(index: number): number | undefined {
    // Behind the last one, its block may hold what was copied, or zeros.
    if (index >= this.length) return undefined;
    const block = this.#full[Math.floor(index / blockSize)] ?? this.#last;
    return block[index % blockSize];
  }

  /** None is left afterwards. Most of their memory is free then, and need not wait for the collector. */
  free(): void {
    freeMemory(this.#full.splice(0).map(({ buffer }) => buffer));
    this.#used = 0;
  }

  #makeRoom(): void {
    if (this.#used < blockSize) {
      const larger = new Uint32Array(Math.min(4 * this.#used, blockSize));
      larger.set(this.#last);
      this.#last = larger;
      return;
    }
    this.#full.push(this.#last);
    this.#last = new Uint32Array(blockSize);
    this.#used = 0;
  }
}
