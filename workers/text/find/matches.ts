import { freeMemory } from '../../../src/core/memory/free.js';

/** How many places one block holds: 64 KB. */
const blockSize = 16_384;
/** Most strings are found once. */
const firstSize = 16;

/** Places in a text, in bytes, ascending. */
export interface Places {
  readonly length: number;
  at(index: number): number | undefined;
}

/** Where a string was found in a text, in the order of the beginnings. No match is empty. */
export class Matches {
  /** How many bytes they have in all; those in which two of them overlap are counted twice. */
  bytes = 0;
  readonly #starts = new PlaceList();
  /** In bytes; of all of them, as long as there are no ends. */
  #width = 0;
  /** Only once they differ in width, as they may where case does not matter: they take as much memory as the starts. */
  #ends: PlaceList | undefined;

  get length(): number {
    return this.#starts.length;
  }

  get starts(): Places {
    return this.#starts;
  }

  push(start: number, end: number): void {
    if (this.length === 0) this.#width = end - start;
    else if (end - start !== this.#width) this.#ends ??= this.#endsSoFar();
    this.#starts.push(start);
    this.#ends?.push(end);
    this.bytes += end - start;
  }

  /** None is left afterwards. Most of their memory is free then, and need not wait for the collector. */
  free(): void {
    this.#starts.free();
    this.#ends?.free();
    this.#ends = undefined;
    this.bytes = 0;
  }

  /** @param index from 0, less than `length`, as for `endAt` */
  startAt(index: number): number {
    return this.#starts.at(index) ?? 0;
  }

  endAt(index: number): number {
    return this.#ends === undefined ? this.startAt(index) + this.#width : (this.#ends.at(index) ?? 0);
  }

  #endsSoFar(): PlaceList {
    const ends = new PlaceList();
    for (let index = 0; index < this.length; index++) ends.push(this.startAt(index) + this.#width);
    return ends;
  }
}

/**
 * A large text may have a million matches: in an array of numbers their places take twice the memory, and an array that
 * is copied to grow leaves as much again to the collector, which does not hurry.
 */
class PlaceList implements Places {
  readonly #full: Uint32Array<ArrayBuffer>[] = [];
  /** The block that is being filled. */
  #last = new Uint32Array(firstSize);
  #used = 0;

  get length(): number {
    return this.#full.length * blockSize + this.#used;
  }

  push(place: number): void {
    if (this.#used === this.#last.length) this.#makeRoom();
    this.#last[this.#used++] = place;
  }

  at(index: number): number | undefined {
    // Behind the last one, its block may hold what was copied, or zeros.
    if (index >= this.length) return undefined;
    const block = this.#full[Math.floor(index / blockSize)] ?? this.#last;
    return block[index % blockSize];
  }

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
