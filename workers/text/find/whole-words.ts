import type { Piece } from '../rope/piece.js';
import { lengthOfCharacter } from '../utf8.js';

/** A character of a word. */
const ofWord = /[\p{L}\p{N}_]/u;
/** The answer for each ASCII character: a large text may have a million places. */
const isAsciiOfWord = Uint8Array.from({ length: 0x80 }, (_, code) => (ofWord.test(String.fromCharCode(code)) ? 1 : 0));
/** Bytes of the longest character. */
const mostBytes = 4;

/** Recognizes whole words in a text: no letter, digit or `_` is right before or after them (spec 17). */
export class WholeWords {
  readonly #pieces: readonly Piece[];
  /** The piece of the last byte that was read, and its offset in the text: places are usually asked for in order. */
  #index = 0;
  #at = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /** Whether the text between two offsets is a whole word. */
  has(start: number, end: number): boolean {
    return !this.#isOfWord(start - 1) && !this.#isOfWord(end);
  }

  /** @param offset of any byte of a character, or outside the text */
  #isOfWord(offset: number): boolean {
    const byte = this.#byteAt(offset);
    if (byte === undefined || byte < 0x80) return byte !== undefined && isAsciiOfWord[byte] === 1;
    let start = offset;
    while (offset - start < mostBytes && isContinuation(this.#byteAt(start))) start -= 1;
    return ofWord.test(this.#decoded(start, start + lengthOfCharacter(this.#byteAt(start) ?? 0)));
  }

  #decoded(start: number, end: number): string {
    const bytes: number[] = [];
    for (let offset = start; offset < end; offset++) {
      const byte = this.#byteAt(offset);
      if (byte !== undefined) bytes.push(byte);
    }
    return Buffer.from(bytes).toString();
  }

  /** Undefined outside the text. */
  #byteAt(offset: number): number | undefined {
    let piece = this.#pieces[this.#index];
    while (piece !== undefined && offset >= this.#at + piece.end - piece.start) {
      this.#at += piece.end - piece.start;
      piece = this.#pieces[++this.#index];
    }
    while (offset < this.#at && this.#index > 0) {
      piece = this.#pieces[--this.#index];
      if (piece !== undefined) this.#at -= piece.end - piece.start;
    }
    return offset < this.#at ? undefined : piece?.source[piece.start + offset - this.#at];
  }
}

/** Whether a byte continues a character. */
function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
