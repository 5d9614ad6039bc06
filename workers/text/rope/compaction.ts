/**
 * Copies a text into new memory when edits have split it into too many pieces: it then takes no more memory than a
 * plain text, and the next edit does not slow down with the number of earlier ones.
 */
import { copyPart } from '../scattered-text.js';
import { LF } from '../separators.js';
import { textMemory } from '../text-memory.js';
import type { PartCursor } from './part-cursor.js';
import { lengthOf, mixed, partOf, Piece } from './piece.js';

/** Small parts are merged into pieces of about this many bytes. */
const pieceSize = 4_096;
/**
 * In bytes. The previous compaction is freed block by block as it is read: with both kept whole, several edits that
 * replace in very many places would hold three texts; two are allowed (spec 6).
 */
const blockSize = 262_144;

interface Compacted {
  readonly pieces: Piece[];
  /** The memory of the pieces, in the same order. */
  readonly blocks: Buffer[];
}

/**
 * @param parts of the new text
 * @param length of all of them together
 * @param spent the blocks of the previous compaction, in text order; this call owns them and frees them all
 */
export function compact(parts: PartCursor, length: number, spent: Buffer[]): Compacted {
  const compaction = new Compaction(length);
  while (parts.next()) {
    // No later part lies in a block before this one.
    if (parts.piece !== undefined && parts.source !== spent[0]) {
      const passed = spent.indexOf(parts.source);
      if (passed > 0) textMemory.free(spent.splice(0, passed));
    }
    compaction.add(parts);
  }
  textMemory.free(spent.splice(0));
  return compaction.end();
}

/** The part to copy: a piece, or the current part of a cursor. */
type Part = Pick<Piece, 'source' | 'start' | 'end' | 'oldStart' | 'oldEnd' | 'edit' | 'marks'>;

class Compaction {
  readonly #pieces: Piece[] = [];
  readonly #blocks: Buffer[] = [];
  /** Number of bytes still to be written. */
  #left: number;
  /** The block being filled, and its fill level. */
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  /** The last piece written. */
  #last: Piece | undefined;

  constructor(length: number) {
    this.#left = length;
  }

  /** Copies the current part, as its own piece or appended to the last one. */
  add(part: PartCursor): void {
    const { piece, source, start, end } = part;
    const length = end - start;
    const room = this.#last === undefined ? 0 : pieceSize - lengthOf(this.#last);
    if (piece === undefined) {
      // New text joins the last piece even if that doubles in size: it may end in the middle of a line, and the old
      // text that follows is a better start for a new piece.
      this.#copy(part, length <= room + pieceSize);
    } else if (piece.edit === mixed) {
      // An uncut piece of several edits stays a piece: if later edits restore its text, it still compares equal to the
      // old text that it replaces.
      this.#copy(part, start > piece.start && length <= room + pieceSize);
    } else if (length <= room) {
      this.#copy(part, true);
    } else {
      // An edited piece ends at a line end if possible, so the two texts can be compared up to there.
      const line = piece.edit === 0 && this.#last?.edit !== 0 ? restOfLine(source, start, end) : 0;
      if (line > 0) this.#copy(partOf(piece, start, start + line), true);
      this.#copy(line > 0 ? partOf(piece, start + line, end) : part, false);
    }
  }

  end(): Compacted {
    // Unwritten memory holds leftovers of other requests.
    if (this.#left !== 0) throw new Error(`edited text lacks ${this.#left} bytes`);
    return { pieces: this.#pieces, blocks: this.#blocks };
  }

  /** @param joins whether to append it to the last piece, if it fits into that piece's block */
  #copy({ source, start, end, oldStart, oldEnd, edit, marks }: Part, joins: boolean): void {
    const length = end - start;
    this.#left -= length;
    if (this.#left < 0) throw new Error(`edited text has ${-this.#left} bytes too many`);
    const fits = length <= this.#block.length - this.#at;
    if (!fits) {
      this.#block = textMemory.take(Math.max(length, Math.min(blockSize, length + this.#left)));
      this.#blocks.push(this.#block);
      this.#at = 0;
    }
    copyPart(source, start, end, this.#block, this.#at);
    const last = joins && fits ? this.#last : undefined;
    if (last === undefined) {
      this.#last = new Piece(this.#block, this.#at, this.#at + length, oldStart, oldEnd, edit);
      this.#last.marks = marks;
      this.#pieces.push(this.#last);
    } else {
      last.grow(length, oldEnd, edit);
    }
    this.#at += length;
  }
}

/** Bytes up to the end of the first line; 0 if it does not end within a piece's length, or only at `end`. */
function restOfLine(source: Buffer, start: number, end: number): number {
  return source.subarray(start, Math.min(end - 1, start + pieceSize)).indexOf(LF) + 1;
}
