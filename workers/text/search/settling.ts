import { copyPart } from '../copy-part.js';
import { LF } from '../separators.js';
import { spareTexts } from '../spare-memory.js';
import type { Parts, Replacement } from './parts.js';
import { mixed, oldEndOf, oldStartOf, Piece } from './piece.js';

/** Pieces that are merged, in a text that has too many of them, are at most this long together, in bytes. */
const settledSize = 4_096;
/**
 * In bytes. In blocks, a text that was settled before is given back while it is read: with both of them whole, several
 * edits that replace in very many places took three times the file.
 */
const blockSize = 262_144;

/** A text whose parts were written anew. */
interface Settled {
  readonly pieces: Piece[];
  /** What they lie in, in this order. */
  readonly blocks: Buffer[];
}

/**
 * Writes all parts of a text anew and merges the small pieces. A merged piece ends at the end of a line if it can, so
 * that the two texts can be compared up to there.
 */
class Settling {
  readonly #text: Buffer;
  readonly #edit: number;
  readonly #pieces: Piece[] = [];
  readonly #blocks: Buffer[] = [];
  /** Bytes that no block is there for yet. */
  #rest: number;
  #block: Buffer = Buffer.alloc(0);
  /** Where in the block the next byte goes. */
  #at = 0;
  // The piece being written, as fields: an object for each of its states would take 140 MB for 190,000 replacements.
  #isOpen = false;
  #start = 0;
  #oldStart = 0;
  #oldEnd = 0;
  #openEdit = 0;
  #marks: Uint32Array | undefined;

  /** @param length of all parts together */
  constructor(length: number, { text, edit }: Replacement) {
    this.#rest = length;
    this.#text = text;
    this.#edit = edit;
  }

  keep(piece: Piece, start: number, end: number): void {
    if (piece.edit === mixed) {
      // As it was merged before: what is changed back is then seen to be the same as in the old text.
      this.#keep(piece, start, end, start > piece.start && end - start <= this.#room + settledSize);
      return;
    }
    if (end - start <= this.#room) {
      this.#keep(piece, start, end, true);
      return;
    }
    const line = piece.edit === 0 ? restOfLine(piece.source, start, end) : 0;
    if (line === 0 || (this.#isOpen && this.#openEdit === 0)) {
      this.#keep(piece, start, end, false);
    } else {
      this.#keep(piece, start, start + line, true);
      this.#keep(piece, start + line, end, false);
    }
  }

  put(oldStart: number, oldEnd: number): void {
    const { length } = this.#text;
    // Rather a larger piece than one that ends in the middle of a line: what is kept behind this ends it better.
    const joined = length <= this.#room + settledSize;
    let start = 0;
    do {
      const end = this.#endInBlock(start, length);
      this.#begin(joined, start === 0 ? oldStart : oldEnd, oldEnd, this.#edit, undefined);
      this.#write(this.#text, start, end);
      start = end;
    } while (start < length);
  }

  end(): Settled {
    this.#close();
    // Memory that was not written holds leftovers of other requests.
    const missing = this.#rest + this.#block.length - this.#at;
    if (missing !== 0) throw new Error(`edited text lacks ${missing} bytes`);
    return { pieces: this.#pieces, blocks: this.#blocks };
  }

  get #room(): number {
    return this.#isOpen ? settledSize - (this.#at - this.#start) : 0;
  }

  #keep(piece: Piece, from: number, to: number, joined: boolean): void {
    let start = from;
    do {
      const end = this.#endInBlock(start, to);
      this.#begin(joined, oldStartOf(piece, start), oldEndOf(piece, end), piece.edit, piece.marks);
      this.#write(piece.source, start, end);
      start = end;
    } while (start < to);
  }

  /** How far the bytes from `start` to `end` fit into the block, which is a new one if the last is full. */
  #endInBlock(start: number, end: number): number {
    if (start < end && this.#at === this.#block.length) {
      if (this.#rest === 0) throw new Error(`edited text has ${end - start} bytes too many`);
      this.#close();
      this.#isOpen = false;
      this.#block = spareTexts.takeBytes(Math.min(blockSize, this.#rest));
      this.#blocks.push(this.#block);
      this.#rest -= this.#block.length;
      this.#at = 0;
    }
    return Math.min(end, start + this.#block.length - this.#at);
  }

  #write(bytes: Buffer, start: number, end: number): void {
    this.#at += copyPart(bytes, start, end, this.#block, this.#at);
  }

  /** What is written next stands for this span of the old text. */
  #begin(joined: boolean, oldStart: number, oldEnd: number, edit: number, marks: Uint32Array | undefined): void {
    if (joined && this.#isOpen) {
      this.#openEdit = this.#openEdit === edit && edit !== 0 ? edit : mixed;
      this.#marks = undefined;
    } else {
      this.#close();
      this.#isOpen = true;
      this.#start = this.#at;
      this.#oldStart = oldStart;
      this.#openEdit = edit;
      this.#marks = marks;
    }
    this.#oldEnd = oldEnd;
  }

  #close(): void {
    if (!this.#isOpen) return;
    const piece = new Piece(this.#block, this.#start, this.#at, this.#oldStart, this.#oldEnd, this.#openEdit);
    piece.marks = this.#marks;
    this.#pieces.push(piece);
  }
}

/**
 * Write a text anew.
 * @param length of all parts together
 * @param spent blocks that parts of the text lie in, in the order of the text, and nobody else needs; none is left
 */
export function settle(parts: Parts, length: number, replacement: Replacement, spent: Buffer[]): Settled {
  const settling = new Settling(length, replacement);
  while (parts.next()) {
    const { piece } = parts;
    if (piece === undefined) {
      settling.put(parts.oldStart, parts.oldEnd);
      continue;
    }
    // Behind the first part of a block, there is none of the blocks before it.
    const passed = piece.source === spent[0] ? 0 : spent.indexOf(piece.source);
    if (passed > 0) spareTexts.giveTexts(spent.splice(0, passed));
    settling.keep(piece, parts.start, parts.end);
  }
  spareTexts.giveTexts(spent.splice(0));
  return settling.end();
}

/** Up to the end of its first line; 0 if that is far away, or is its end. */
function restOfLine(source: Buffer, start: number, end: number): number {
  return source.subarray(start, Math.min(end - 1, start + settledSize)).indexOf(LF) + 1;
}
