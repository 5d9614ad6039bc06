import { LineScanner } from './line-scanner.js';
import { withSeparator } from './new-text.js';
import { bomLength, CR, LF, type Separator } from './separators.js';

/**
 * Some whole lines of an edited text: untouched bytes of the old file, or text of the request. The result is a list of
 * pieces until its size is known and is then written once, so that nothing is held but old, new and request.
 */
export interface Piece {
  readonly source: Buffer | string;
  /** Offsets in the source: bytes, or UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** At least 1. */
  readonly lines: number;
  /** Whether the separator of its last line lies before `end`: so in a file, never in new text. */
  readonly endsInSource: boolean;
  /** What is written behind the piece to end its last line. */
  separator: Separator | '';
}

/** Whether the last line of the piece is ended by nothing. */
export function isOpen(piece: Piece): boolean {
  return !piece.endsInSource && piece.separator === '';
}

/** @param lines how many go into the first part: at least 1, fewer than the piece has. New text there is left open */
export function splitPiece(piece: Piece, lines: number): [Piece, Piece] {
  const { source, start } = piece;
  const scanner = new LineScanner(source, start);
  const middle = scanner.seek(lines + 1);
  const endsInSource = typeof source !== 'string';
  const end = endsInSource ? middle : middle - scanner.separator.length;
  return [
    { source, start, end, lines, endsInSource, separator: '' },
    { ...piece, start: middle, lines: piece.lines - lines },
  ];
}

/**
 * Write the new text, after the byte order mark of the old one if it has one.
 *
 * @param separator what separators inside new text become
 * @returns the bytes, and how many lines a reader will count in them
 */
export function writePieces(
  bom: Buffer,
  pieces: readonly Piece[],
  separator: Separator,
): { bytes: Buffer; totalLines: number } {
  const size = pieces.reduce((sum, piece) => sum + byteLength(piece, separator), bom.length);
  const bytes = Buffer.allocUnsafe(size);
  let at = bom.copy(bytes);
  let totalLines = 0;
  const advance = (written: number): void => {
    // An empty line that ends in `\n`, put behind a line that ends in `\r`: the two characters are one separator now.
    if (written > 0 && bytes[at] === LF && at > 0 && bytes[at - 1] === CR) totalLines -= 1;
    at += written;
  };
  for (const piece of pieces) {
    const { source, start, end } = piece;
    totalLines += piece.lines;
    if (typeof source === 'string') {
      for (const chunk of withSeparator(source, start, end, separator)) advance(bytes.write(chunk, at));
    } else {
      advance(source.copy(bytes, at, start, end));
    }
    advance(bytes.write(piece.separator, at));
  }
  // Memory that was not written holds what other requests left there: it must never reach a file.
  if (at !== size) throw new Error(`edited text has ${at} bytes instead of ${size}`);
  const last = pieces.at(-1);
  if (last !== undefined && isOpen(last) && endsWithoutText(bytes)) totalLines -= 1;
  return { bytes, totalLines };
}

/** Whether nothing stands behind the last separator: a last line that is empty and has none itself does not exist. */
function endsWithoutText(bytes: Buffer): boolean {
  const lastByte = bytes.at(-1);
  return bytes.length === bomLength(bytes) || lastByte === LF || lastByte === CR;
}

function byteLength({ source, start, end, separator }: Piece, inner: Separator): number {
  if (typeof source !== 'string') return end - start + separator.length;
  let length = separator.length;
  for (const chunk of withSeparator(source, start, end, inner)) length += Buffer.byteLength(chunk);
  return length;
}
