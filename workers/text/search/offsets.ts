/**
 * Places in a text, in bytes. A large text may have millions of them: in an array of numbers each takes twice the
 * memory, and three times as much while the array grows.
 */
export class Offsets {
  #values = new Uint32Array(16);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(offset: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = offset;
  }

  /** A view of them as they are now. */
  toArray(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }
}
