import { createHash, randomFillSync } from 'node:crypto';

/**
 * The sets of operations tried and the states they led to. Only 64 bits of each are kept, since full texts took 4 GB
 * for one history. Two that agree in all 64 bits count as one (with 16 million tried, in one history of 100,000), so a
 * right history could be judged wrong, but never a wrong one right.
 */
export class Tried {
  /** Two words for each operation; a set's words are the XOR of its members' (Zobrist 1970). */
  private readonly words: Int32Array;
  private high = 0;
  private low = 0;
  private readonly rows = new Rows();

  /** @param most number of orders to try before it is full */
  constructor(
    operations: number,
    private readonly most: number,
  ) {
    this.words = randomFillSync(new Int32Array(2 * operations));
  }

  get isFull(): boolean {
    return this.rows.size >= this.most;
  }

  place(operation: number): void {
    this.high ^= this.words[2 * operation] ?? 0;
    this.low ^= this.words[2 * operation + 1] ?? 0;
  }

  takeBack(operation: number): void {
    this.place(operation);
  }

  /**
   * Notes that what is placed, and this operation, have led to this state.
   *
   * @param row of open operations that led here: after fewer of them, more can be tried
   * @returns whether they had not yet, or only after a longer row
   */
  isNew(operation: number, state: string, row: number): boolean {
    const digest = createHash('sha1').update(state).digest();
    const high = this.high ^ (this.words[2 * operation] ?? 0) ^ digest.readInt32LE(0);
    const low = this.low ^ (this.words[2 * operation + 1] ?? 0) ^ digest.readInt32LE(4);
    return this.rows.lower(high, low, row);
  }
}

/** The shortest row by 64 bits: a hash table with open addressing, at the most half full. */
class Rows {
  size = 0;
  private keys = new Int32Array(2 << 12);
  /** Plus 1; 0 for a free slot. */
  private values = new Uint16Array(1 << 12);

  /** @returns whether there was none, or a longer one */
  lower(high: number, low: number, row: number): boolean {
    if (2 * this.size >= this.values.length) this.grow();
    const place = this.placeOf(high, low);
    const value = this.values[place] ?? 0;
    if (value !== 0 && value <= row + 1) return false;
    if (value === 0) this.size++;
    this.keys[2 * place] = high;
    this.keys[2 * place + 1] = low;
    this.values[place] = row + 1;
    return true;
  }

  private placeOf(high: number, low: number): number {
    const mask = this.values.length - 1;
    let place = low & mask;
    while (this.values[place] !== 0 && (this.keys[2 * place] !== high || this.keys[2 * place + 1] !== low)) {
      place = (place + 1) & mask;
    }
    return place;
  }

  private grow(): void {
    const { keys, values } = this;
    this.keys = new Int32Array(2 * keys.length);
    this.values = new Uint16Array(2 * values.length);
    this.size = 0;
    for (const [place, value] of values.entries()) {
      if (value !== 0) this.lower(keys[2 * place] ?? 0, keys[2 * place + 1] ?? 0, value - 1);
    }
  }
}
