import { LF } from '../separators.js';
import { spareTexts } from '../spare-memory.js';
import { copyPart } from '../copy-part.js';
import type { Parts, Replacement } from './parts.js';
import { mixed, oldEndOf, oldStartOf, Piece } from './piece.js';

/** Pieces that are merged, in a text that has too many of them, are at most this long together, in bytes. */
const settledSize = 4_096;

/**
 * Writes all parts of a text to one memory and merges the small pieces. A merged piece ends at the end of a line if it
 * can, so that the two texts can be compared up to there.
 */
class Settling {
  readonly #source: Buffer;
  readonly #text: Buffer;
  readonly #edit: number;
  readonly #pieces: Piece[] = [];
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
    this.#source = spareTexts.takeBytes(length);
    this.#text = text;
    this.#edit = edit;
  }

  keep(piece: Piece, start: number, end: number): void {
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
    this.#begin(length <= this.#room + settledSize, oldStart, oldEnd, this.#edit, undefined);
    this.#write(this.#text, 0, length);
  }

  end(): Piece[] {
    this.#close();
    // Memory that was not written holds leftovers of other requests.
    const { length } = this.#source;
    if (this.#at !== length) throw new Error(`edited text has ${this.#at} bytes instead of ${length}`);
    return this.#pieces;
  }

  get #room(): number {
    return this.#isOpen ? settledSize - (this.#at - this.#start) : 0;
  }

  #keep(piece: Piece, start: number, end: number, joined: boolean): void {
    this.#begin(joined, oldStartOf(piece, start), oldEndOf(piece, end), piece.edit, piece.marks);
    this.#write(piece.source, start, end);
  }

  #write(bytes: Buffer, start: number, end: number): void {
    this.#at += copyPart(bytes, start, end, this.#source, this.#at);
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
    const piece = new Piece(this.#source, this.#start, this.#at, this.#oldStart, this.#oldEnd, this.#openEdit);
    piece.marks = this.#marks;
    this.#pieces.push(piece);
  }
}

/** @param length of all parts together. @returns the text as pieces of one memory */
export function settle(parts: Parts, length: number, replacement: Replacement): Piece[] {
  const settling = new Settling(length, replacement);
  while (parts.next()) {
    if (parts.piece === undefined) settling.put(parts.oldStart, parts.oldEnd);
    else settling.keep(parts.piece, parts.start, parts.end);
  }
  return settling.end();
}

/** Up to the end of its first line; 0 if that is far away, or is its end. */
function restOfLine(source: Buffer, start: number, end: number): number {
  return source.subarray(start, Math.min(end - 1, start + settledSize)).indexOf(LF) + 1;
}
