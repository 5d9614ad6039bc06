import { oldEndOf, oldStartOf, type Piece } from './piece.js';

/** Spans of a text that another text replaces. */
interface Spans {
  /** Where they begin, in bytes, ascending; they do not overlap, and none is empty. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/**
 * Receives the parts that a text consists of after a replacement, in order. By calls, not objects: there may be
 * millions.
 */
export interface Parts {
  /** The bytes of a piece from `start` to `end` of its source stay. */
  keep(piece: Piece, start: number, end: number): void;
  /** Here goes the text that replaces a span; it stands for this span of the old text. */
  put(oldStart: number, oldEnd: number): void;
}

/** @param at where the first of the pieces begins in the text */
export function replaceSpans(pieces: readonly Piece[], at: number, { starts, ends }: Spans, parts: Parts): void {
  let index = 0;
  let piece = pieces[0];
  let done = piece?.start ?? 0;
  for (let span = 0; span < starts.length; span++) {
    const start = starts[span] ?? 0;
    const end = ends[span] ?? start;
    while (piece !== undefined && at + piece.end - done <= start) {
      parts.keep(piece, done, piece.end);
      at += piece.end - done;
      piece = pieces[++index];
      done = piece?.start ?? 0;
    }
    if (piece === undefined) return;
    if (at < start) {
      parts.keep(piece, done, done + start - at);
      done += start - at;
      at = start;
    }
    const oldStart = oldStartOf(piece, done);
    let oldEnd = oldStart;
    while (piece !== undefined && at + piece.end - done <= end) {
      ({ oldEnd } = piece);
      at += piece.end - done;
      piece = pieces[++index];
      done = piece?.start ?? 0;
    }
    if (piece !== undefined && at < end) {
      done += end - at;
      at = end;
      oldEnd = oldEndOf(piece, done);
    }
    parts.put(oldStart, oldEnd);
  }
  for (; piece !== undefined; done = piece?.start ?? 0) {
    parts.keep(piece, done, piece.end);
    piece = pieces[++index];
  }
}
