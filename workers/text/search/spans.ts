import { Offsets, type Places } from './offsets.js';

/** Spans of a text, in the order of their beginnings. None is empty. */
export class Spans {
  /** How many bytes they have in all; those in which two of them overlap are counted twice. */
  bytes = 0;
  readonly #starts = new Offsets();
  /** In bytes; of all of them, as long as there are no ends. */
  #width = 0;
  /** Only once they differ in width, as they may where case does not matter: they take as much memory as the starts. */
  #ends: Offsets | undefined;

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

  /** None is left afterwards, as of Offsets. */
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

  #endsSoFar(): Offsets {
    const ends = new Offsets();
    for (let index = 0; index < this.length; index++) ends.push(this.startAt(index) + this.#width);
    return ends;
  }
}
