/**
 * A part of a text that is being edited: bytes of the old text, or new ones. The pieces tile the new text, and the
 * regions they replace tile the old one, so they also record the changes.
 */
export class Piece {
  /** A bit for each sought string that may touch it (find/sieve.ts); undefined if there is no sieve, or not yet. */
  marks: Uint32Array | undefined = undefined;
  /** Its own number of line separators; -1: not counted yet, and then the flags about its ends are unset too. */
  separators = -1;
  /** If a `\r` precedes it, this `\n` is half a separator. Stored so that the text need not be read again. */
  startsWithLf = false;
  endsWithCr = false;

  /**
   * @param oldStart start of the old region that it replaces; the same bytes if `edit` is 0
   * @param edit the number of the edit that wrote it, from 1; 0: none; `mixed`: several merged pieces
   */
  constructor(
    readonly source: Buffer,
    readonly start: number,
    public end: number,
    readonly oldStart: number,
    public oldEnd: number,
    public edit: number,
  ) {}

  /** While its text is written: append `length` bytes, written by `edit`, that replace the old text up to `oldEnd`. */
  grow(length: number, oldEnd: number, edit: number): void {
    this.end += length;
    this.oldEnd = oldEnd;
    this.edit = edit === this.edit && edit !== 0 ? edit : mixed;
    this.marks = undefined;
  }
}

/** Instead of the number of an edit: compaction has merged pieces of several edits. */
export const mixed = -1;

/** A part of the old text, unchanged. */
export function untouched(old: Buffer, start = 0, end = old.length): Piece {
  return new Piece(old, start, end, start, end, 0);
}

/**
 * The end of the contiguous run of pieces that begins with this one, in its source.
 * @param enough an offset in the source beyond which the answer does not matter
 */
export function contiguousEnd(pieces: readonly Piece[], index: number, enough: number): number {
  const first = pieces[index];
  let end = first?.end ?? 0;
  for (let next = index + 1; end < enough; next++) {
    const piece = pieces[next];
    if (piece === undefined || piece.source !== first?.source || piece.start !== end) break;
    ({ end } = piece);
  }
  return end;
}

/** In bytes. */
export function lengthOf({ start, end }: Piece): number {
  return end - start;
}

/** In bytes; 0 if there is no such piece. */
export function lengthAt(pieces: readonly Piece[], index: number): number {
  const piece = pieces[index];
  return piece === undefined ? 0 : lengthOf(piece);
}

/**
 * Old-text start of the part of a piece that begins at `place` in its source: an edited region is attributed as a whole
 * to its first byte.
 */
export function oldStartOf({ start, oldStart, oldEnd, edit }: Piece, place: number): number {
  if (edit === 0) return oldStart + place - start;
  return place === start ? oldStart : oldEnd;
}

/** Old-text end of the part of a piece that ends at `place` in its source. */
export function oldEndOf({ end, oldEnd, edit }: Piece, place: number): number {
  return edit === 0 ? oldEnd - (end - place) : oldEnd;
}

/** A part keeps the marks: strings that may touch the piece may touch the part. */
export function partOf(piece: Piece, start: number, end: number): Piece {
  if (start === piece.start && end === piece.end) return piece;
  const part = new Piece(piece.source, start, end, oldStartOf(piece, start), oldEndOf(piece, end), piece.edit);
  part.marks = piece.marks;
  return part;
}
