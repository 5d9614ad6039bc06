/**
 * Memory of answers that were sent, given back by the main thread (workers/task.ts), and of texts that nobody needs. The system zeroes fresh memory page by
 * page, and the collector of the main thread runs for every 50 MB that it has got to free: together a quarter of the
 * price of a read of 1 MB.
 */

/** Bytes that are kept in all. */
const mostSpare = 33_554_432;
/** What is larger than wanted by more than this factor would be wasted. */
const mostWaste = 1.25;
/** Smaller texts are cheap to allocate. */
const leastTaken = 262_144;

export class SpareMemory {
  #memory: ArrayBuffer[] = [];

  give(memory: readonly ArrayBuffer[]): void {
    let kept = 0;
    this.#memory = [...memory, ...this.#memory].filter(({ byteLength }) => (kept += byteLength) <= mostSpare);
  }

  /** What fills its memory: nobody may look at it any more. Smaller ones have their memory in common with others. */
  giveBytes({ buffer, byteLength }: Buffer): void {
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength >= leastTaken)
      this.give([buffer]);
  }

  /** @returns so many bytes with anything in them, alone in their memory or in one that Node shares out */
  takeBytes(bytes: number): Buffer {
    return bytes < leastTaken ? Buffer.allocUnsafe(bytes) : this.take(bytes).subarray(0, bytes);
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
