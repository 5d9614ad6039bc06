/**
 * Texts that need not be contiguous in memory. A new version of a file consists of parts of the old one and of inserted
 * text, and is rarely needed in one piece: it is hashed and written part by part. Edits of 10 MB take 10 MB less that
 * way.
 */
import type { Source } from './chunks.js';
import { PartCursor } from './rope/part-cursor.js';
import { untouched } from './rope/piece.js';
import { textMemory } from './text-memory.js';

export interface ScatteredText {
  /** In bytes. */
  readonly length: number;
  /** From the beginning; positions may only increase. */
  source(): Source;
  /** Free the memory that belongs to this text alone; no reader may be left. Idempotent. */
  release(): void;
}

export type Text = Buffer | ScatteredText;

/** In bytes. Smaller texts are copied: that costs less than reading them from several places. */
export const leastScattered = 2_097_152;

class JoinedText implements ScatteredText {
  readonly #parts: readonly Buffer[];
  #own: readonly Buffer[];

  constructor(
    parts: readonly Buffer[],
    readonly length: number,
    own: readonly Buffer[],
  ) {
    this.#parts = parts;
    this.#own = own;
  }

  source(): Source {
    return sourceOfParts(new PartCursor(this.#parts.map((part) => untouched(part))));
  }

  release(): void {
    textMemory.free(this.#own);
    this.#own = [];
  }
}

/**
 * The concatenation of all parts. Large results are not copied.
 * @param own buffers of the parts, or of their memory, that have no other user
 */
export function join(parts: readonly Buffer[], own: readonly Buffer[] = []): Text {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length >= leastScattered) return new JoinedText(parts, length, own);
  const text = textMemory.concat(parts);
  textMemory.free(own);
  return text;
}

/** @throws Error if a position before the end of the last read is requested */
export function sourceOfParts(parts: PartCursor): Source {
  let [start, end] = [0, 0];
  /** Start of the rest of the part in the text. */
  let at = 0;
  return (target, position) => {
    if (position < at) throw new Error(`a text was read from ${String(position)} on, which lies before ${String(at)}`);
    let length = 0;
    while (length < target.length) {
      if (start === end) {
        if (!parts.next()) break;
        ({ start, end } = parts);
      }
      if (at < position) {
        const skipped = Math.min(position - at, end - start);
        start += skipped;
        at += skipped;
      } else {
        const wanted = Math.min(end - start, target.length - length);
        // Memory that was freed too early reads as empty.
        if (copyPart(parts.source, start, start + wanted, target, length) !== wanted) throw new Error('a part is gone');
        start += wanted;
        at += wanted;
        length += wanted;
      }
    }
    return length;
  };
}

/** Up to this many bytes, a loop copies faster than a call, which allocates an object. */
const mostByLoop = 64;

/**
 * Copy the bytes of a source from `start` to `end` to a place in a target, which has room for them.
 * @returns the number of bytes
 */
export function copyPart(source: Buffer, start: number, end: number, target: Buffer, place: number): number {
  if (end - start > mostByLoop) return source.copy(target, place, start, end);
  for (let from = start, to = place; from < end; from++) target[to++] = source[from] ?? 0;
  return end - start;
}

/** The whole text in contiguous memory. */
export function wholeOf(text: Text): Buffer {
  if (Buffer.isBuffer(text)) return text;
  const bytes = textMemory.take(text.length);
  const source = text.source();
  const written = source(bytes, 0) + source(Buffer.alloc(1), text.length);
  // Unwritten memory holds leftovers of other requests.
  if (written !== text.length)
    throw new Error(`edited text has ${String(written)} bytes instead of ${String(text.length)}`);
  return bytes;
}

/** In bytes: few system calls for a large file, and small enough for a processor's caches. */
const portionBytes = 262_144;

/** The text in portions, each valid until the next one is requested; a contiguous text is one portion. */
export function* portionsOf(text: Text): Generator<Buffer> {
  if (Buffer.isBuffer(text)) {
    yield text;
    return;
  }
  const source = text.source();
  const portion = textMemory.take(portionBytes);
  try {
    for (let at = 0, length = portion.length; length === portion.length; at += length) {
      length = source(portion, at);
      if (length > 0) yield portion.subarray(0, length);
    }
  } finally {
    textMemory.free([portion]);
  }
}

/** @returns the old text itself if the new one is the same, which is then released */
export function unlessSame(old: Buffer, text: Text): Text {
  if (text.length !== old.length) return text;
  let at = 0;
  for (const portion of portionsOf(text)) {
    if (portion.compare(old, at, at + portion.length) !== 0) return text;
    at += portion.length;
  }
  if (text !== old) release(text);
  return old;
}

/** Free a text; no reader of it or of its parts may be left. */
export function release(text: Text): void {
  if (Buffer.isBuffer(text)) textMemory.free([text]);
  else text.release();
}
