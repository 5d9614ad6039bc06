import type { Source } from '../chunks.js';
import { sourceOfParts, wholeOf, type ScatteredText } from '../scattered-text.js';
import { textMemory } from '../text-memory.js';
import { compact } from './compaction.js';
import type { Matches } from '../find/matches.js';
import { PartCursor, type Replacement } from './part-cursor.js';
import { contiguousEnd, lengthAt, lengthOf, partOf, Piece, untouched } from './piece.js';
import { pieceMarks, type Sieve } from '../find/sieve.js';

const beginning = { first: 0, at: 0 };

/** A text as a list of its parts, so edits of a large text need not copy it each time. */
export class Rope implements ScatteredText {
  #pieces: Piece[];
  #length: number;
  /** The piece at which the last change began: edits usually go down a text, and 1000 of them would walk all of it. */
  #changed = beginning;
  /** The blocks of the last compaction: its remaining text lies in these, in order. */
  #blocks: Buffer[] = [];
  readonly #sieve: Sieve | undefined;

  constructor(old: Buffer, sieve?: Sieve) {
    this.#length = old.length;
    this.#sieve = sieve;
    // Small enough that searching one part costs little, and few enough for 100 MB.
    const size = Math.max(4_096, old.length >> 11);
    const pieces: Piece[] = [];
    for (let start = 0; start < old.length; start += size) {
      const end = Math.min(start + size, old.length);
      pieces.push(untouched(old, start, end));
    }
    this.#pieces = pieces;
    this.#mark(0, pieces.length);
  }

  get length(): number {
    return this.#length;
  }

  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** Length in bytes after each of these matches is replaced by a text of `length` bytes. */
  lengthAfter(matches: Matches, length: number): number {
    return this.#length + matches.length * length - matches.bytes;
  }

  /** @param replacement of at least one match */
  replace(replacement: Replacement): void {
    const { matches, text } = replacement;
    this.#length = this.lengthAfter(matches, text.length);
    // With more than one piece per KB, the pieces themselves would take memory and time.
    if (this.#pieces.length + 2 * matches.length > 2_048 + (this.#length >> 10)) {
      const parts = new PartCursor(this.#pieces, replacement);
      const { pieces, blocks } = compact(parts, this.#length, this.#blocks);
      this.#pieces = pieces;
      this.#blocks = blocks;
      this.#changed = beginning;
      this.#mark(0, this.#pieces.length);
    } else {
      const { first, at, behind } = this.#affected(matches.startAt(0), matches.endAt(matches.length - 1));
      const pieces: Piece[] = [];
      const parts = new PartCursor(this.#pieces.slice(first, behind), replacement, at);
      while (parts.next()) {
        const { piece, start, end, oldStart, oldEnd, edit } = parts;
        pieces.push(
          piece === undefined ? new Piece(text, start, end, oldStart, oldEnd, edit) : partOf(piece, start, end),
        );
      }
      this.#pieces.splice(first, behind - first, ...pieces);
      this.#changed = { first, at };
      this.#mark(first, first + pieces.length);
    }
  }

  /**
   * The pieces from `first` up to `behind` cover everything between two offsets, or touch both if these are equal; `at`
   * is the start of the first piece.
   */
  #affected(start: number, end: number): { first: number; at: number; behind: number } {
    let { first, at } = start >= this.#changed.at ? this.#changed : beginning;
    const reached = start < end ? start + 1 : start;
    for (
      let piece = this.#pieces[first];
      piece !== undefined && at + lengthOf(piece) < reached;
      piece = this.#pieces[first]
    ) {
      at += lengthOf(piece);
      first += 1;
    }
    let behind = first;
    let next = at;
    do next += lengthAt(this.#pieces, behind++);
    while (next < end && behind < this.#pieces.length);
    return { first, at, behind };
  }

  #mark(first: number, behind: number): void {
    if (this.#sieve === undefined) return;
    for (let index = first; index < behind; index++) {
      const piece = this.#pieces[index];
      if (piece !== undefined) piece.marks ??= pieceMarks(this.#pieces, index, this.#sieve);
    }
  }

  /** The whole text, without a copy if it is contiguous. */
  toBuffer(): Buffer {
    const [first] = this.#pieces;
    if (first === undefined) return Buffer.alloc(0);
    const end = contiguousEnd(this.#pieces, 0, Infinity);
    if (end - first.start === this.#length) return first.source.subarray(first.start, end);
    return wholeOf(this);
  }

  source(): Source {
    return sourceOfParts(new PartCursor(this.#pieces));
  }

  release(): void {
    textMemory.free(this.#blocks.splice(0));
  }
}
