import type { Source } from '../chunks.js';
import { sourceOfParts, type ScatteredText } from '../scattered-text.js';
import { PartCursor, type Replacement } from '../rope/part-cursor.js';
import type { Rope } from '../rope/rope.js';
import { LF } from '../separators.js';

/** A part of the old text and its replacement, in bytes. */
export interface ChangedPart {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** A new text, and where it differs from the old one. */
export interface ChangedText {
  /** In bytes. */
  readonly length: number;
  source(): Source;
  /** In order; between them both texts are the same. */
  changes(): Iterable<ChangedPart>;
}

/** Changes with fewer bytes between them are merged: otherwise a text might have one for every other byte. */
const leastBetween = 32;
/** Unless the merged one is already longer, in bytes of either text: a diff can only be cut between two changes. */
const mostMerged = 4_096;

/**
 * The text after its last edit. The replacements are not applied: only their positions are kept, and the text is
 * assembled whenever it is read.
 */
export class EditedText implements ScatteredText, ChangedText {
  readonly length: number;
  readonly #old: Buffer;
  readonly #rope: Rope;
  readonly #last: Replacement;

  /** @param rope of the text before the last edit, made from the old text; it must not change afterwards */
  constructor(old: Buffer, rope: Rope, last: Replacement) {
    this.length = rope.lengthAfter(last.matches, last.text.length);
    this.#old = old;
    this.#rope = rope;
    this.#last = last;
  }

  source(): Source {
    return sourceOfParts(this.#parts());
  }

  /**
   * All differences between the old text and this one, in order. Adjacent changes are merged, unless both texts are at
   * the end of a line there. Nearby changes may be merged too, with the text between them.
   */
  *changes(): Generator<ChangedPart> {
    const parts = this.#parts();
    let open: ChangedPart | undefined;
    let newEnd = 0;
    while (parts.next()) {
      const { source, start, end, oldStart, oldEnd, piece } = parts;
      const newStart = newEnd;
      newEnd += end - start;
      if (piece?.edit === 0 || this.#isSame(parts)) {
        if (open === undefined || (end - start < leastBetween && longestOf(open) < mostMerged)) continue;
        yield open;
        open = undefined;
        continue;
      }
      open = { oldStart: open?.oldStart ?? oldStart, oldEnd, newStart: open?.newStart ?? newStart, newEnd };
      const endsLines = end > start && source[end - 1] === LF && oldEnd > oldStart && this.#old[oldEnd - 1] === LF;
      if (!endsLines) continue;
      yield open;
      open = undefined;
    }
    if (open !== undefined) yield open;
  }

  release(): void {
    this.#last.matches.free();
    this.#rope.release();
  }

  /** Even after several edits a part may equal the old text. */
  #isSame({ source, start, end, oldStart, oldEnd }: PartCursor): boolean {
    return oldEnd - oldStart === end - start && this.#old.compare(source, start, end, oldStart, oldEnd) === 0;
  }

  #parts(): PartCursor {
    return new PartCursor(this.#rope.pieces, this.#last);
  }
}

function longestOf({ oldStart, oldEnd, newStart, newEnd }: ChangedPart): number {
  return Math.max(oldEnd - oldStart, newEnd - newStart);
}
