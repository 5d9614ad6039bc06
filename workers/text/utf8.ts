import { isUtf8 } from 'node:buffer';
import type { Chunks } from './chunks.js';
import { chunkSize, marginSize } from './kernel.js';

/** Checks a text chunk by chunk, with Node's SIMD validation: 20 µs for 1 MB. */
export class Utf8Check {
  /** The number of bytes of an incomplete character at the end of the previous chunk. */
  #begun = 0;

  /** Whether the chunk is UTF-8, except that the last character of a full one may continue in the next. */
  passes({ bytes, bytesWithMargin, length }: Chunks): boolean {
    const start = marginSize - this.#begun;
    this.#begun = length === chunkSize ? begunCharacter(bytes) : 0;
    return isUtf8(bytesWithMargin.subarray(start, marginSize + length - this.#begun));
  }

  /** Whether the text may end here. */
  get complete(): boolean {
    return this.#begun === 0;
  }
}

/** The number of trailing bytes of a full chunk that begin a character; the next chunk shows whether it is valid. */
function begunCharacter(chunk: Buffer): number {
  for (let back = 1; back <= 3; back++) {
    const byte = chunk[chunkSize - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return lengthOfCharacter(byte) > back ? back : 0;
  }
  return 0;
}

/** End of the first `count` characters of a text, or of the text. Takes 3 ms for 2,000,000. */
export function endOfCharacters(text: Buffer, count: number): number {
  // A character takes at least one byte.
  if (text.length <= count) return text.length;
  let at = 0;
  for (let left = count; left > 0 && at < text.length; left--) at += lengthOfCharacter(text[at] ?? 0);
  return at;
}

/** Length of a character in bytes, from its first byte; 1 for a byte that begins no character. */
export function lengthOfCharacter(first: number): number {
  return first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
