/**
 * Texts that need not lie in one memory. A new version of a file consists of parts of the old one and of what was put
 * in, and most of the time nobody wants it whole: it is hashed and written piece by piece. Edits of 10 MB take 10 MB
 * less that way.
 */
import type { Source } from './chunks.js';
import { copyPart } from './copy-part.js';
import { Parts } from './search/parts.js';
import { untouched } from './search/piece.js';
import { spareTexts } from './spare-memory.js';

export interface ScatteredText {
  /** In bytes. */
  readonly length: number;
  /** From its beginning; the positions that it is asked for may only go up. */
  source(): Source;
  /** Nobody looks at it any more. @returns the memory that it has used and that others may use too */
  release(): readonly Buffer[];
}

export type Text = Buffer | ScatteredText;

/** In bytes. Smaller texts are copied: that costs less than reading them from several places. */
export const leastScattered = 2_097_152;

/** A source whose positions may only go up. */
export function sourceOfParts(parts: Parts): Source {
  let [start, end] = [0, 0];
  /** Where in the text the rest of the part begins. */
  let at = 0;
  return (target, position) => {
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
        const copied = Math.min(end - start, target.length - length);
        copyPart(parts.source, start, start + copied, target, length);
        start += copied;
        at += copied;
        length += copied;
      }
    }
    return length;
  };
}

class JoinedText implements ScatteredText {
  readonly #parts: readonly Buffer[];

  constructor(
    parts: readonly Buffer[],
    readonly length: number,
  ) {
    this.#parts = parts;
  }

  source(): Source {
    return sourceOfParts(new Parts(this.#parts.map((part) => untouched(part))));
  }

  release(): readonly Buffer[] {
    return this.#parts;
  }
}

/** All of these, one behind the other. They are not copied if they are large together. */
export function join(parts: readonly Buffer[]): Text {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return length < leastScattered ? spareTexts.concat(parts) : new JoinedText(parts, length);
}

/** The whole text in one memory. */
export function wholeOf(text: Text): Buffer {
  if (Buffer.isBuffer(text)) return text;
  const bytes = spareTexts.takeBytes(text.length);
  const written = text.source()(bytes, 0);
  // Memory that was not written holds leftovers of other requests, which must never reach a file.
  if (written !== text.length)
    throw new Error(`edited text has ${String(written)} bytes instead of ${String(text.length)}`);
  return bytes;
}

/** In bytes: few calls of the system for a large file, and small enough for the caches of a processor. */
const pieceBytes = 262_144;

/** The text in pieces, each valid until the next one is asked for; a text that lies in one memory is one piece. */
export function* piecesOf(text: Text): Generator<Buffer> {
  if (Buffer.isBuffer(text)) {
    yield text;
    return;
  }
  const source = text.source();
  const piece = spareTexts.takeBytes(pieceBytes);
  try {
    for (let at = 0, length = piece.length; length === piece.length; at += length) {
      length = source(piece, at);
      if (length > 0) yield piece.subarray(0, length);
    }
  } finally {
    spareTexts.giveTexts([piece]);
  }
}

/** @returns the old text itself if the new one is the same */
export function unlessSame(old: Buffer, text: Text): Text {
  if (text.length !== old.length) return text;
  let at = 0;
  for (const piece of piecesOf(text)) {
    if (piece.compare(old, at, at + piece.length) !== 0) return text;
    at += piece.length;
  }
  return old;
}

/** Nobody looks at these texts any more. @param again the same files are read again next */
export function releaseTexts(texts: readonly Text[], again = false): void {
  spareTexts.giveTexts(
    texts.flatMap((text) => (Buffer.isBuffer(text) ? [text] : text.release())),
    again,
  );
}
