import { freeMemory } from '../../../src/core/memory/free.js';

/** Number of places in a block: 64 KB. */
const blockSize = 16_384;
/** Most strings are found once. */
const firstSize = 16;

/** Offsets in a text, in bytes, ascending. */
export interface Places {
  readonly length: number;
  at(index: number): number | undefined;
}

/** The matches of a string in a text, ordered by start. None is empty, except for the place where an edit adds text. */
export class Matches {
  /** Total bytes of all matches; overlaps count twice. */
  bytes = 0;
  readonly #starts = new PlaceList();
  /** Width in bytes of every match, as long as there are no ends. */
  #width = 0;
  /** Only once widths differ, as they may where case does not matter: ends take as much memory as the starts. */
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

  /** Drop all matches. Frees most of their memory right away instead of leaving it to the garbage collector. */
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
 * A large text may have a million matches: an array of numbers would take twice the memory, and an array that is copied
 * to grow leaves the same again to the garbage collector, which is slow to run.
 */
class PlaceList implements Places {
  readonly #full: Uint32Array<ArrayBuffer>[] = [];
  /** The block being filled. */
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
    // Past the last place, its block may hold copied values, or zeros.
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
