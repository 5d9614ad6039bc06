import { oldEndOf, oldStartOf, type Piece } from './piece.js';
import { Matches } from '../find/matches.js';

/** The same text in place of each of several matches. */
export interface Replacement {
  /** They do not overlap. */
  readonly matches: Matches;
  readonly text: Buffer;
  /** Counted from 1. */
  readonly edit: number;
}

export const noReplacement: Replacement = { matches: new Matches(), text: Buffer.alloc(0), edit: 0 };

/**
 * Iterates over the parts of a text, as it is or after a replacement, in order. Its properties describe the current
 * part: there may be millions, and an object for each would be 140 MB of garbage for 190,000 replacements.
 */
export class PartCursor {
  /** The part is bytes `start` to `end` of this buffer. */
  source: Buffer;
  start = 0;
  end = 0;
  /** The piece that contains the part; undefined for the replacement of a match. */
  piece: Piece | undefined;
  readonly #pieces: readonly Piece[];
  readonly #matches: Matches;
  readonly #text: Buffer;
  readonly #edit: number;
  #index = 0;
  /** Start of the rest of the next piece in its source. */
  #rest: number;
  /** The same position in the text. */
  #at: number;
  /** The index of the next match, from 0, and its start in the text. */
  #match = 0;
  #matchStart: number;
  // For a match that is being replaced.
  #oldStart = 0;
  #oldEnd = 0;

  /** @param at offset of the first piece in the text */
  constructor(pieces: readonly Piece[], { matches, text, edit }: Replacement = noReplacement, at = 0) {
    this.#pieces = pieces;
    this.#matches = matches;
    this.#text = text;
    this.#edit = edit;
    this.source = text;
    this.#rest = pieces[0]?.start ?? 0;
    this.#at = at;
    this.#matchStart = matches.length > 0 ? matches.startAt(0) : Infinity;
  }

  /** Start in the old text of the region that the part replaces. */
  get oldStart(): number {
    return this.piece === undefined ? this.#oldStart : oldStartOf(this.piece, this.start);
  }

  get oldEnd(): number {
    return this.piece === undefined ? this.#oldEnd : oldEndOf(this.piece, this.end);
  }

  get edit(): number {
    return this.piece === undefined ? this.#edit : this.piece.edit;
  }

  get marks(): Uint32Array | undefined {
    return this.piece?.marks;
  }

  /** Advance to the next part; at first, to the first one. @returns false if there is none */
  next(): boolean {
    const piece = this.#pieces[this.#index];
    const gap = this.#matchStart - this.#at;
    if (piece === undefined) {
      // Text that is added at the end of the last piece.
      if (gap !== 0) return false;
      this.#put(undefined);
    } else if (piece.end - this.#rest <= gap) this.#keep(piece, piece.end);
    else if (gap > 0) this.#keep(piece, this.#rest + gap);
    else this.#put(piece);
    return true;
  }

  #keep(piece: Piece, end: number): void {
    this.piece = piece;
    this.source = piece.source;
    this.start = this.#rest;
    this.end = end;
    this.#pass(piece, end - this.start);
  }

  /** @param first piece of the match; undefined after the last one */
  #put(first: Piece | undefined): void {
    const end = this.#matches.endAt(this.#match);
    this.piece = undefined;
    this.source = this.#text;
    this.start = 0;
    this.end = this.#text.length;
    this.#oldStart = first === undefined ? (this.#pieces.at(-1)?.oldEnd ?? 0) : oldStartOf(first, this.#rest);
    // Text that is added replaces nothing.
    this.#oldEnd = this.#oldStart;
    for (let piece: Piece | undefined = first; piece !== undefined; piece = this.#pieces[this.#index]) {
      const length = Math.min(piece.end - this.#rest, end - this.#at);
      // Empty pieces after the match are deletions by earlier edits: they belong to it.
      if (length === 0 && piece.end > this.#rest) break;
      this.#oldEnd = oldEndOf(piece, this.#rest + length);
      this.#pass(piece, length);
    }
    this.#match += 1;
    this.#matchStart = this.#match < this.#matches.length ? this.#matches.startAt(this.#match) : Infinity;
  }

  #pass(piece: Piece, length: number): void {
    this.#at += length;
    this.#rest += length;
    if (this.#rest < piece.end) return;
    this.#index += 1;
    this.#rest = this.#pieces[this.#index]?.start ?? 0;
  }
}
