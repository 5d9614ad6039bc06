import { freeMemory } from '../../src/core/memory/free.js';
import { Chunks, type Source } from '../text/chunks.js';
import { escapeChunk, marginAndInput, output, skipSeparators } from '../text/kernel.js';

export const contentHead = '{"content":"';
/** Room for what follows the content: the two numbers of a range, a hash. */
const mostTail = 256;

export interface JsonBytes {
  /** The whole object; its memory begins with it. */
  readonly json: Buffer;
  /** The string in it, with its quotes. */
  readonly content: Buffer;
  /** The string ends before its text does, since more of it would be of no use. */
  readonly isCut?: boolean;
}

/** Memory that is not touched costs nothing, so room for an escape in every fourth byte is taken at once. */
const roomPerByte = 1.25;
/** Before the rest is measured, no more of it is used than an answer may take beside its text (spec 6). */
const mostUnmeasured = 1_048_576;

/** The result of a read as JSON, in memory of its own, so that it can be moved to another thread. */
export class JsonAnswer {
  #bytes: Buffer<ArrayBuffer>;
  #length = contentHead.length;
  /** Bytes that may be filled without measuring the rest. */
  #room: number;
  readonly #rest: () => number;
  /** How long the content may grow before the rest is left out. */
  readonly #most: number;
  #isFull = false;

  /**
   * @param size of the text, in bytes
   * @param rest length in JSON of what follows the current chunk; called only if room may run out
   * @param most how much of the content is of use: it ends after the chunk in which it exceeds that
   */
  constructor(size: number, rest: () => number, most = Infinity) {
    const held = Math.min(size, most + output.length);
    this.#bytes = Buffer.allocUnsafeSlow(contentHead.length + Math.ceil(held * roomPerByte) + mostTail);
    this.#bytes.write(contentHead, 'latin1');
    this.#room = Math.min(this.#bytes.length, held + mostUnmeasured);
    this.#rest = rest;
    this.#most = most;
  }

  /** Whether nothing is appended any more. */
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
   * @param dropped how many bytes at the end of the content to leave out
   * @param tail what follows the content, from its closing quote on; ASCII
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

/** A place at or before `end` at which no UTF-8 character is cut: in front of the last one, unless that is ASCII. */
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
 * Length of the rest of a text in JSON. Leaves the chunk in the kernel as it was.
 * @param start where the rest begins; `last`: where its last chunk begins, which is wanted up to a separator
 */
export function lengthInJson(source: Source, start: number, last: number, separator = Infinity): number {
  const kept = Buffer.from(marginAndInput);
  const chunks = new Chunks(source, start);
  let length = 0;
  while (chunks.end <= last && chunks.next()) {
    const isLast = chunks.position === last;
    length += escapeChunk(0, isLast ? skipSeparators(0, chunks.length, separator) : chunks.length);
  }
  kept.copy(marginAndInput);
  return length;
}
