/**
 * Texts that need not lie in one memory. A new version of a file consists of parts of the old one and of what was put
 * in, and most of the time nobody wants it whole: it is hashed and written piece by piece. Edits of 10 MB take 10 MB
 * less that way.
 */
import type { Source } from './chunks.js';
import { PartCursor } from './find/part-cursor.js';
import { untouched } from './find/piece.js';
import { textMemory } from './text-memory.js';

export interface ScatteredText {
  /** In bytes. */
  readonly length: number;
  /** From its beginning; the positions that it is asked for may only go up. */
  source(): Source;
  /** Nobody looks at it any more: free the memory that it alone lies in. Done once, however often it is called. */
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
 * All of these, one behind the other. They are not copied if they are large together.
 * @param own those of the parts, or what they lie in, that nobody else looks at
 */
export function join(parts: readonly Buffer[], own: readonly Buffer[] = []): Text {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length >= leastScattered) return new JoinedText(parts, length, own);
  const text = textMemory.concat(parts);
  textMemory.free(own);
  return text;
}

/** @throws Error if a position is asked for that lies before the end of what was read last */
export function sourceOfParts(parts: PartCursor): Source {
  let [start, end] = [0, 0];
  /** Where in the text the rest of the part begins. */
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
        // Of memory that was given back too early there is nothing left.
        if (copyPart(parts.source, start, start + wanted, target, length) !== wanted) throw new Error('a part is gone');
        start += wanted;
        at += wanted;
        length += wanted;
      }
    }
    return length;
  };
}

/** Up to this many bytes, a loop copies faster than a call, which leaves an object behind. */
const mostByLoop = 64;

/**
 * Copy the bytes of a source from `start` to `end` to a place in a target, which has room for them.
 * @returns how many they are
 */
export function copyPart(source: Buffer, start: number, end: number, target: Buffer, place: number): number {
  if (end - start > mostByLoop) return source.copy(target, place, start, end);
  for (let from = start, to = place; from < end; from++) target[to++] = source[from] ?? 0;
  return end - start;
}

/** The whole text in one memory. */
export function wholeOf(text: Text): Buffer {
  if (Buffer.isBuffer(text)) return text;
  const bytes = textMemory.take(text.length);
  const source = text.source();
  const written = source(bytes, 0) + source(Buffer.alloc(1), text.length);
  // Memory that was not written holds leftovers of other requests.
  if (written !== text.length)
    throw new Error(`edited text has ${String(written)} bytes instead of ${String(text.length)}`);
  return bytes;
}

/** In bytes: few calls of the system for a large file, and small enough for the caches of a processor. */
const portionBytes = 262_144;

/** The text in portions, each valid until the next one is asked for; a text that lies in one memory is one portion. */
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

/** Nobody looks at a text any more that nobody else has a part of. */
export function release(text: Text): void {
  if (Buffer.isBuffer(text)) textMemory.free([text]);
  else text.release();
}
