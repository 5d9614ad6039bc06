/**
 * A part of a text that is being edited: bytes of the old text, or new ones. The pieces tile the new text, and what they
 * stand for tiles the old one, so they also tell what has changed.
 */
export class Piece {
  /** Which strings may touch it; undefined if nothing is sieved, or not yet. */
  marks: Uint32Array | undefined = undefined;
  /** How many line separators it has by itself; -1: not counted yet, and then its ends are not known either. */
  separators = -1;
  /** With a `\r` before it, that `\n` is half a separator. Known beforehand, so that nobody need look at the text. */
  startsWithLf = false;
  endsWithCr = false;

  /**
   * @param oldStart where the part of the old text begins that it stands for; the same bytes if `edit` is 0
   * @param edit the number of the edit that wrote it, from 1; 0: none; `mixed`: several pieces that became one
   */
  constructor(
    readonly source: Buffer,
    readonly start: number,
    public end: number,
    readonly oldStart: number,
    public oldEnd: number,
    public edit: number,
  ) {}

  /** While its text is written: take in so many bytes, written by `edit`, that stand for the old text up to `oldEnd`. */
  grow(length: number, oldEnd: number, edit: number): void {
    this.end += length;
    this.oldEnd = oldEnd;
    this.edit = edit === this.edit && edit !== 0 ? edit : mixed;
    this.marks = undefined;
  }
}

export const mixed = -1;

/** A part of the old text as it is. */
export function untouched(old: Buffer, start = 0, end = old.length): Piece {
  return new Piece(old, start, end, start, end, 0);
}

/**
 * How far the source of a piece goes on being the text.
 * @param enough a place in the source beyond which the answer does not matter
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
 * Where a part of the piece that begins here in its source begins in the old text: what was edited goes as a whole with
 * its first byte.
 */
export function oldStartOf({ start, oldStart, oldEnd, edit }: Piece, place: number): number {
  if (edit === 0) return oldStart + place - start;
  return place === start ? oldStart : oldEnd;
}

/** Where a part of the piece that ends here in its source ends in the old text. */
export function oldEndOf({ end, oldEnd, edit }: Piece, place: number): number {
  return edit === 0 ? oldEnd - (end - place) : oldEnd;
}

/** A part keeps the marks: what may touch the piece may touch it. */
export function partOf(piece: Piece, start: number, end: number): Piece {
  if (start === piece.start && end === piece.end) return piece;
  const part = new Piece(piece.source, start, end, oldStartOf(piece, start), oldEndOf(piece, end), piece.edit);
  part.marks = piece.marks;
  return part;
}
