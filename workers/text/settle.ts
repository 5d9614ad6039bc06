import { cut, lengthOf, mixed, Piece } from './piece.js';
import { LF } from './separators.js';

/** Pieces that become one in a text that has too many of them are at most so long together, in bytes. */
const settledSize = 4_096;

/**
 * Write all pieces to one memory, the small ones among them as one. That one ends with a line where it can, so that the two
 * texts can be compared up to there.
 */
export function settle(parts: Iterable<Piece>, length: number): Piece[] {
  const source = Buffer.allocUnsafeSlow(length);
  const pieces: Piece[] = [];
  let at = 0;
  let open: Piece | undefined;
  const write = (part: Piece, joined: boolean): void => {
    const start = at;
    at += part.source.copy(source, start, part.start, part.end);
    const { oldStart, oldEnd, edit } = part;
    if (open !== undefined && joined) {
      const alike = open.edit === edit && edit !== 0;
      open = new Piece(source, open.start, at, open.oldStart, oldEnd, alike ? edit : mixed);
      return;
    }
    if (open !== undefined) pieces.push(open);
    open = new Piece(source, start, at, oldStart, oldEnd, edit);
    open.marks = part.marks;
  };
  for (const part of parts) {
    const room = settledSize - (open === undefined ? settledSize : at - open.start);
    if (lengthOf(part) <= room) {
      write(part, true);
      continue;
    }
    const line = part.edit === 0 ? restOfLine(part) : 0;
    if (line === 0 || open?.edit === 0) {
      write(part, false);
    } else {
      const [head, tail] = cut(part, line);
      write(head, true);
      write(tail, false);
    }
  }
  if (open !== undefined) pieces.push(open);
  // Memory that was not written holds what others left there.
  if (at !== length) throw new Error(`edited text has ${at} bytes instead of ${length}`);
  return pieces;
}

/** Up to the end of its first line; 0 if that is not near, or is its end. */
function restOfLine({ source, start, end }: Piece): number {
  return source.subarray(start, Math.min(end - 1, start + settledSize)).indexOf(LF) + 1;
}
