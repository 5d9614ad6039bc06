/**
 * Memory of answers that were sent, given back by the main thread (workers/task.ts). The system zeroes fresh memory page by
 * page, and the collector of the main thread runs for every 50 MB that it has got to free: together a quarter of the
 * price of a read of 1 MB.
 */

/** Bytes that are kept in all. */
const mostSpare = 33_554_432;
/** What is larger than wanted by more than this factor would be wasted. */
const mostWaste = 1.25;

export class SpareMemory {
  #memory: ArrayBuffer[] = [];

  give(memory: readonly ArrayBuffer[]): void {
    let kept = 0;
    this.#memory = [...memory, ...this.#memory].filter(({ byteLength }) => (kept += byteLength) <= mostSpare);
  }

  /** @returns at least so many bytes with anything in them */
  take(bytes: number): Buffer {
    const at = this.#memory.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes * mostWaste);
    const [found] = at === -1 ? [] : this.#memory.splice(at, 1);
    return found === undefined ? Buffer.allocUnsafeSlow(bytes) : Buffer.from(found);
  }
}

/** That of this thread. */
export const spareMemory = new SpareMemory();
