import { freeMemory } from '../../src/core/memory/free.js';
import { Chunks, type Source } from '../text/chunks.js';
import { escapeChunk, keepingChunk, output, skipSeparators } from '../text/kernel.js';

export const contentHead = '{"content":"';
/** Room after the content: the two numbers of a range, and a hash. */
const mostTail = 256;

export interface JsonBytes {
  /** The whole object, from the start of its memory. */
  readonly json: Buffer;
  /** The content string, with its quotes. */
  readonly content: Buffer;
  /** The string ends before the text does: the rest would not be used. */
  readonly isCut?: boolean;
}

/** Untouched memory costs nothing, so allocate room for an escape in every fourth byte up front. */
const roomPerByte = 1.25;
/** Extra memory used before the rest is measured: the allowance of an answer besides its text (spec 6). */
const mostUnmeasured = 1_048_576;

/** The result of a read as JSON, in its own memory, so it can be transferred to another thread. */
export class JsonAnswer {
  #bytes: Buffer<ArrayBuffer>;
  #length = contentHead.length;
  /** Bytes that may be filled without measuring the rest. */
  #room: number;
  readonly #rest: () => number;
  /** Content length after which the rest is left out. */
  readonly #most: number;
  #isFull = false;

  /**
   * @param size of the text, in bytes
   * @param rest JSON length of everything after the current chunk; called only if room may run out
   * @param most how much of the content is useful: it ends after the chunk that exceeds this length
   */
  constructor(size: number, rest: () => number, most = Infinity) {
    const held = Math.min(size, most + output.length);
    this.#bytes = Buffer.allocUnsafeSlow(contentHead.length + Math.ceil(held * roomPerByte) + mostTail);
    this.#bytes.write(contentHead, 'latin1');
    this.#room = Math.min(this.#bytes.length, held + mostUnmeasured);
    this.#rest = rest;
    this.#most = most;
  }

  /** Whether further appends are ignored. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Append the bytes of the chunk between `from` and `to`. */
  append(from: number, to: number): void {
    if (this.#isFull) return;
    let length = escapeChunk(from, to);
    if (this.#length + length + mostTail > this.#room) {
      this.#makeRoom(Math.min(length + this.#rest(), contentHead.length + this.#most + output.length - this.#length));
      length = escapeChunk(from, to);
    }
    output.copy(this.#bytes, this.#length, 0, length);
    this.#length += length;
    if (this.#length - contentHead.length <= this.#most) return;
    this.#isFull = true;
    // The chunk may end within a character.
    this.#length = lastBoundary(this.#bytes, this.#length);
  }

  /**
   * @param dropped number of bytes to leave out at the end of the content
   * @param tail the rest of the answer from the content's closing quote; ASCII
   */
  end(dropped: number, tail: string): JsonBytes {
    const length = this.#length - (this.#isFull ? 0 : dropped);
    const end = length + this.#bytes.write(tail, length, 'latin1');
    return { ...partsOf(this.#bytes, length, end), isCut: this.#isFull };
  }

  #makeRoom(contentLength: number): void {
    const size = this.#length + contentLength + mostTail;
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(size);
      this.#bytes.copy(larger, 0, 0, this.#length);
      freeMemory([this.#bytes.buffer]);
      this.#bytes = larger;
    }
    this.#room = this.#bytes.length;
  }
}

/** A position at or before `end` that splits no UTF-8 character: before the last one, unless that is ASCII. */
export function lastBoundary(bytes: Buffer, end: number): number {
  let at = end;
  while (at > 0 && ((bytes[at - 1] ?? 0) & 0xc0) === 0x80) at--;
  return at > 0 && (bytes[at - 1] ?? 0) >= 0xc0 ? at - 1 : at;
}

/**
 * An answer whose content lies in one chunk, in exactly as much memory as it needs.
 * @param dropped @param tail as above
 */
export function answerFromChunk(from: number, to: number, dropped: number, tail: string): JsonBytes {
  const length = escapeChunk(from, to) - dropped;
  const tailStart = contentHead.length + length;
  const bytes = Buffer.allocUnsafeSlow(tailStart + tail.length);
  bytes.write(contentHead, 'latin1');
  output.copy(bytes, contentHead.length, 0, length);
  bytes.write(tail, tailStart, 'latin1');
  return partsOf(bytes, tailStart, bytes.length);
}

/**
 * An answer in memory that begins with `head`.
 * @param contentEnd where the content ends, without its closing quote
 * @param end of the answer
 */
export function partsOf(bytes: Buffer, contentEnd: number, end: number): JsonBytes {
  return { json: bytes.subarray(0, end), content: bytes.subarray(contentHead.length - 1, contentEnd + 1) };
}

/**
 * JSON length of the rest of a text. Leaves the kernel's chunk unchanged.
 * @param start where the rest begins; `last`: where its last chunk begins, which is wanted up to a separator
 */
export function lengthInJson(source: Source, start: number, last: number, separator = Infinity): number {
  return keepingChunk(() => {
    const chunks = new Chunks(source, start);
    let length = 0;
    while (chunks.end <= last && chunks.next()) {
      const isLast = chunks.position === last;
      length += escapeChunk(0, isLast ? skipSeparators(0, chunks.length, separator) : chunks.length);
    }
    return length;
  });
}
