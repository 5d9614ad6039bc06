/**
 * The classes of characters that an expression tells apart: characters that are in the same sets share a class, and
 * thus one column of the automaton.
 */
import { lengthOfCharacter } from '../../text/utf8.js';
import { CR, LF } from '../../text/separators.js';
import type { CharacterSet } from './characters.js';

/** The column of bytes for which the table is not enough: those of non-ASCII characters, and `\r`. */
export const undecided = 0;
/** The column of a line's end. */
export const endOfLine = 1;
/** The column of the first class of characters. */
const firstClass = 2;

const firstPlane = 0x10000;

export class Alphabet {
  /** Columns of a table: one for each class and the two others. */
  readonly columns: number;
  /** The column of each byte. */
  readonly ofByte = new Uint16Array(256);
  /** Where the class changes, ascending, and the class from there on. */
  readonly #starts: readonly number[];
  readonly #classes: Uint32Array;
  /** The classes of the first plane, once a text needs them: a lookup for each character instead of a search. */
  #plane: Uint16Array | undefined;

  constructor(sets: readonly CharacterSet[]) {
    this.#starts = [...new Set([0, ...sets.flatMap((set) => set.map((end, index) => end + (index % 2)))])].sort(
      (a, b) => a - b,
    );
    const classes = new Map<number, number>();
    this.#classes = new Uint32Array(this.#starts.length);
    sets.reduce((next, set) => this.#divide(set, next), 1);
    for (const [interval, divided] of this.#classes.entries()) {
      const column = classes.get(divided) ?? firstClass + classes.size;
      classes.set(divided, column);
      this.#classes[interval] = column;
    }
    this.columns = firstClass + classes.size;
    for (let byte = 0; byte < 0x80; byte++) this.ofByte[byte] = this.ofCode(byte);
    this.ofByte[LF] = endOfLine;
    this.ofByte[CR] = undecided;
  }

  /**
   * Move the characters of each class that are in the set to a new class. @param next number of a class
   * @returns the one after them
   */
  #divide(set: CharacterSet, next: number): number {
    const divided = new Map<number, number>();
    for (const interval of this.#intervals(set)) {
      const old = this.#classes[interval] ?? 0;
      const own = divided.get(old) ?? next + divided.size;
      divided.set(old, own);
      this.#classes[interval] = own;
    }
    return next + divided.size;
  }

  *#intervals(set: CharacterSet): Generator<number> {
    for (let index = 0; index < set.length; index += 2) {
      const last = set[index + 1] ?? 0;
      for (let interval = this.#intervalOf(set[index] ?? 0); (this.#starts[interval] ?? Infinity) <= last; interval++) {
        yield interval;
      }
    }
  }

  #intervalOf(code: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= code) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The column of a character. */
  ofCode(code: number): number {
    if (code >= firstPlane || this.#plane === undefined) return this.#classes[this.#intervalOf(code)] ?? 0;
    return this.#plane[code] ?? 0;
  }

  /** The column of the character at `at`. */
  ofCharacter(bytes: Buffer, at: number): number {
    this.#plane ??= this.#planeOfClasses();
    const first = bytes[at] ?? 0;
    let code = first;
    if (first >= 0x80) {
      const length = lengthOfCharacter(first);
      code &= 0x7f >> length;
      for (let next = at + 1; next < at + length; next++) code = (code << 6) | ((bytes[next] ?? 0) & 0x3f);
    }
    return this.ofCode(code);
  }

  #planeOfClasses(): Uint16Array {
    const plane = new Uint16Array(firstPlane);
    this.#starts.forEach((start, interval) => {
      if (start < firstPlane) plane.fill(this.#classes[interval] ?? 0, start, this.#starts[interval + 1]);
    });
    return plane;
  }

  /** For each column, whether the set has its characters; it has all of them, or none. */
  columnsOf(set: CharacterSet): Uint8Array {
    const columns = new Uint8Array(this.columns);
    for (const interval of this.#intervals(set)) columns[this.#classes[interval] ?? 0] = 1;
    return columns;
  }

  /** As columnsOf; the column itself if there is only one, which takes no memory. */
  columnOrColumnsOf(set: CharacterSet): number | Uint8Array {
    const intervals = this.#intervals(set);
    const [first] = intervals;
    const only = this.#classes[first ?? 0] ?? 0;
    for (const interval of this.#intervals(set)) if (this.#classes[interval] !== only) return this.columnsOf(set);
    return first === undefined ? this.columnsOf(set) : only;
  }
}
