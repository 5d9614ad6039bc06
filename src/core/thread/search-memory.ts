/**
 * What searches have learned about files, in memory shared by all threads: the same search again, or a narrower one,
 * reads only files that have changed or may match. A record describes one version of a file (file-identity.ts), and is
 * made only if the version proves that the file is unchanged: so it is never out of date.
 */
import { endianness } from 'node:os';
import type { FileIdentity } from '../file-identity.js';

/** Number of searches remembered. Each has a column, with the number of matching lines in each file. */
export const columns = 6;

/** Int32 words of a record: the identity, whether it is a text, the columns. */
const identityWords = 10;
const recordWords = identityWords + columns;
/** Slots of the index per record. */
const spread = 2;
/** The first word: how many records have been begun. */
const headerWords = 1;

/** In a column: the number of matching lines plus this; 0 is unknown. */
const known = 1;
/** In the first column, for all searches. */
const isBinary = -1;

/** The identity to look for. */
const fields = new BigInt64Array(5);
const words = new Int32Array(fields.buffer);
/** The lower half of the inode. */
const inodeWord = endianness() === 'LE' ? 2 : 3;

export class SearchMemory {
  readonly #words: Int32Array;
  readonly #capacity: number;
  readonly #index: Int32Array;

  /** @param memory all zero at first, of at least 64 kB */
  constructor(memory: SharedArrayBuffer) {
    const length = memory.byteLength / Int32Array.BYTES_PER_ELEMENT;
    // A power of two, so that neighbouring inodes have neighbouring places: files made together are searched together.
    const places = 2 ** Math.floor(Math.log2((length - headerWords) / (recordWords / spread + 1)));
    this.#capacity = places / spread;
    this.#index = new Int32Array(memory, headerWords * Int32Array.BYTES_PER_ELEMENT, places);
    this.#words = new Int32Array(memory);
  }

  get isEmpty(): boolean {
    return Atomics.load(this.#words, 0) === 0;
  }

  /** Whether a file could not be remembered. */
  get isFull(): boolean {
    return Atomics.load(this.#words, 0) > this.#capacity;
  }

  /** The record of a version of a file. */
  find(identity: FileIdentity): number | undefined {
    fill(identity);
    for (let place = this.#firstPlace(); ; place = this.#after(place)) {
      const record = Atomics.load(this.#index, place);
      if (record === 0) return undefined;
      if (this.#isAbout(record)) return record;
    }
  }

  /**
   * Make a record. Another thread may make one of the same file at the same time; the first one is found.
   * @param identity must not have been doubtful when the file was read
   * @returns undefined if the memory is full
   */
  add(identity: FileIdentity): number | undefined {
    const number = Atomics.add(this.#words, 0, 1);
    if (number >= this.#capacity) return undefined;
    fill(identity);
    const record = headerWords + this.#index.length + number * recordWords;
    this.#words.set(words, record);
    let place = this.#firstPlace();
    while (Atomics.compareExchange(this.#index, place, 0, record) !== 0) place = this.#after(place);
    return record;
  }

  /**
   * How many lines of a file a search has matched; undefined if it has not looked, 'binary' if the file is not text.
   */
  countIn(record: number, column: number): number | 'binary' | undefined {
    if (this.#words[record + identityWords] === isBinary) return 'binary';
    const word = this.#words[record + identityWords + column] ?? 0;
    return word === 0 ? undefined : word - known;
  }

  setCount(record: number, column: number, count: number | 'binary'): void {
    if (count === 'binary') this.#words[record + identityWords] = isBinary;
    else this.#words[record + identityWords + column] = count + known;
  }

  /** Forget a search. No thread may be running it. */
  clear(column: number): void {
    const records = Math.min(Atomics.load(this.#words, 0), this.#capacity);
    for (let number = 0; number < records; number++) {
      const word = headerWords + this.#index.length + number * recordWords + identityWords + column;
      if (this.#words[word] !== isBinary) this.#words[word] = 0;
    }
  }

  /** Where the search for the identity in `words` begins: by its inode. */
  #firstPlace(): number {
    return ((words[inodeWord] ?? 0) * spread) & (this.#index.length - 1);
  }

  #after(place: number): number {
    return (place + 1) & (this.#index.length - 1);
  }

  #isAbout(record: number): boolean {
    for (let word = 0; word < identityWords; word++) {
      if (this.#words[record + word] !== words[word]) return false;
    }
    return true;
  }
}

function fill({ dev, ino, size, mtimeNs, ctimeNs }: FileIdentity): void {
  fields[0] = dev;
  fields[1] = ino;
  fields[2] = size;
  fields[3] = mtimeNs;
  fields[4] = ctimeNs;
}
