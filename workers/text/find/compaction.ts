/**
 * Writes a text anew when edits have left it in too many pieces: then it takes no more memory than a text, and
 * the time of the next edit does not grow with all that were made before.
 */
import { copyPart } from '../scattered-text.js';
import { LF } from '../separators.js';
import { textMemory } from '../text-memory.js';
import type { PartCursor } from './part-cursor.js';
import { mixed, Piece } from './piece.js';

/** Small parts become one piece, which is about this long, in bytes. */
const pieceSize = 4_096;
/**
 * In bytes. A text that was compacted before is given back block by block while it is read: with both of them whole,
 * several edits that replace in very many places would hold three texts, where two are allowed (spec 6).
 */
const blockSize = 262_144;

interface Compacted {
  readonly pieces: Piece[];
  /** What they lie in, in this order. */
  readonly blocks: Buffer[];
}

/**
 * @param parts of the text, as it is to be
 * @param length of all of them together
 * @param edit the number of the edit whose new text is among them
 * @param spent blocks that parts of the text lie in, in the order of the text, and nobody else needs; none is left
 */
export function compact(parts: PartCursor, length: number, edit: number, spent: Buffer[]): Compacted {
  const compaction = new Compaction(length, edit);
  while (parts.next()) {
    // Behind the first part of a block, there is none of the blocks before it.
    if (parts.piece !== undefined && parts.source !== spent[0]) {
      const passed = spent.indexOf(parts.source);
      if (passed > 0) textMemory.free(spent.splice(0, passed));
    }
    compaction.add(parts);
  }
  textMemory.free(spent.splice(0));
  return compaction.end();
}

class Compaction {
  readonly #edit: number;
  readonly #pieces: Piece[] = [];
  readonly #blocks: Buffer[] = [];
  /** How many bytes are still to be written. */
  #left: number;
  /** The block that is being filled, and how far it is. */
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  /** The piece at the end of what is written. */
  #last: Piece | undefined;

  constructor(length: number, edit: number) {
    this.#left = length;
    this.#edit = edit;
  }

  /** A piece of several parts ends where a line does, if it can: the two texts can be compared up to there. */
  add({ piece, source, start, end, oldStart, oldEnd }: PartCursor): void {
    const room = this.#last === undefined ? 0 : pieceSize - (this.#last.end - this.#last.start);
    if (piece === undefined) {
      // New text joins the last piece even if that becomes twice as large: it may end in the middle of a line, and the old
      // text that follows is the better place for a new piece.
      this.#write(source, start, end, oldStart, oldEnd, this.#edit, undefined, end - start <= room + pieceSize);
      return;
    }
    const { edit, marks } = piece;
    if (edit === mixed) {
      // As it was made before, unless it is cut: what is changed back is then seen to be the same as in the old text.
      const joins = start > piece.start && end - start <= room + pieceSize;
      this.#write(source, start, end, oldStart, oldEnd, edit, marks, joins);
      return;
    }
    if (end - start <= room) {
      this.#write(source, start, end, oldStart, oldEnd, edit, marks, true);
      return;
    }
    const line = edit === 0 && this.#last?.edit !== 0 ? restOfLine(source, start, end) : 0;
    if (line > 0) this.#write(source, start, start + line, oldStart, oldStart + line, edit, marks, true);
    this.#write(source, start + line, end, line > 0 ? oldStart + line : oldStart, oldEnd, edit, marks, false);
  }

  end(): Compacted {
    // Memory that was not written holds leftovers of other requests.
    if (this.#left !== 0) throw new Error(`edited text lacks ${this.#left} bytes`);
    return { pieces: this.#pieces, blocks: this.#blocks };
  }

  /** @param joins whether the bytes become part of the last piece, if they fit into its block. */
  #write(
    source: Buffer,
    start: number,
    end: number,
    oldStart: number,
    oldEnd: number,
    edit: number,
    marks: Uint32Array | undefined,
    joins: boolean,
  ): void {
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

/** How many bytes there are up to the end of the first line; 0 if it does not end within a piece's length, or only at `end`. */
function restOfLine(source: Buffer, start: number, end: number): number {
  return source.subarray(start, Math.min(end - 1, start + pieceSize)).indexOf(LF) + 1;
}
