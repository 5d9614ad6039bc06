import { Offsets, type Places } from './offsets.js';
import { oldEndOf, oldStartOf, type Piece } from './piece.js';

/** Spans of a text, in the order of their beginnings. None is empty. */
export class Spans {
  /** How many bytes they have in all; those in which two of them overlap are counted twice. */
  bytes = 0;
  readonly #starts = new Offsets();
  /** In bytes; of all of them, as long as there are no ends. */
  #width = 0;
  /** Only once they differ in width, as they may where case does not matter: they take as much memory as the starts. */
  #ends: Offsets | undefined;

  get length(): number {
    return this.#starts.length;
  }

  get starts(): Places {
    return this.#starts;
  }

  push(start: number, end: number): void {
    if (this.length === 0) this.#width = end - start;
    else if (end - start !== this.#width) this.#ends ??= this.#endsSoFar();
    this.#starts.push(start);
    this.#ends?.push(end);
    this.bytes += end - start;
  }

  /** None is left afterwards, as of Offsets. */
  free(): void {
    this.#starts.free();
    this.#ends?.free();
    this.#ends = undefined;
    this.bytes = 0;
  }

  /** @param index from 0, less than `length`, as for `endAt` */
  startAt(index: number): number {
    return this.#starts.at(index) ?? 0;
  }

  endAt(index: number): number {
    return this.#ends === undefined ? this.startAt(index) + this.#width : (this.#ends.at(index) ?? 0);
  }

  #endsSoFar(): Offsets {
    const ends = new Offsets();
    for (let index = 0; index < this.length; index++) ends.push(this.startAt(index) + this.#width);
    return ends;
  }
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

/**
 * @param at where the first of the pieces begins in the text
 * @param spans which do not overlap
 */
export function replaceSpans(pieces: readonly Piece[], at: number, spans: Spans, parts: Parts): void {
  let index = 0;
  let piece = pieces[0];
  let done = piece?.start ?? 0;
  for (let span = 0; span < spans.length; span++) {
    const start = spans.startAt(span);
    const end = spans.endAt(span);
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
