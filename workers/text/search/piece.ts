/**
 * A part of a text that is being edited: bytes of the old text, or new ones. The pieces tile the new text, and what they stand
 * for tiles the old one, so they also tell what has changed.
 */
export class Piece {
  /** Which strings may touch it; undefined where nothing is sieved, or not yet. */
  marks: Uint32Array | undefined = undefined;
  /** How many line separators it has by itself; -1: not counted yet. */
  separators = -1;

  /**
   * @param oldStart what it stands for in the old text: the same bytes if `edit` is 0
   * @param edit the edit that wrote it, counted from 1; 0: nobody; `mixed`: several pieces that became one
   */
  constructor(
    readonly source: Buffer,
    readonly start: number,
    readonly end: number,
    readonly oldStart: number,
    readonly oldEnd: number,
    readonly edit: number,
  ) {}
}

export const mixed = -1;

/**
 * Up to where the source of a piece goes on being the text.
 * @param enough where the answer need not be found any more: a place in the source
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

export function lengthOf({ start, end }: Piece): number {
  return end - start;
}

/** Where in the old text a part of it begins that begins here in its source: with its first byte, all that was edited is gone. */
export function oldStartOf({ start, oldStart, oldEnd, edit }: Piece, place: number): number {
  if (edit === 0) return oldStart + place - start;
  return place === start ? oldStart : oldEnd;
}

/** Where in the old text a part of it ends that ends here in its source. */
export function oldEndOf({ end, oldEnd, edit }: Piece, place: number): number {
  return edit === 0 ? oldEnd - (end - place) : oldEnd;
}

/** A part of it keeps the marks: what may touch the piece may touch that. */
export function partOf(piece: Piece, start: number, end: number): Piece {
  if (start === piece.start && end === piece.end) return piece;
  const part = new Piece(piece.source, start, end, oldStartOf(piece, start), oldEndOf(piece, end), piece.edit);
  part.marks = piece.marks;
  return part;
}
