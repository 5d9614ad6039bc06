import { bomLength, CR, LF, type Separator } from '../separators.js';
import { spareTexts } from '../spare-memory.js';
import { LineScanner } from './line-scanner.js';
import { lengthWith, writeWith } from './new-text.js';

/**
 * Some whole lines of an edited text: untouched bytes of the old file, or text of the request. The result stays a list
 * of pieces until its size is known and is then written once, so that only the old text, the new one and the request
 * are held.
 */
export interface LinePiece {
  readonly source: Buffer | string;
  /** Whether it is text of the request. */
  readonly isNew: boolean;
  /** Offsets in the source: bytes, or UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** At least 1. */
  readonly lines: number;
  /** Whether the separator of its last line lies before `end`: true in a file, never in new text. */
  readonly endsInSource: boolean;
  /** What is written after the piece to end its last line. */
  separator: Separator | '';
}

/** Whether nothing ends the last line of the piece. */
export function isOpen(piece: LinePiece): boolean {
  return !piece.endsInSource && piece.separator === '';
}

/** @param lines how many go into the first part: at least 1, fewer than the piece has. New text is left open there */
export function splitPiece(piece: LinePiece, lines: number): [LinePiece, LinePiece] {
  const { source, isNew, start } = piece;
  const scanner = new LineScanner(source, start);
  const middle = scanner.seek(lines + 1);
  const end = isNew ? middle - scanner.separator.length : middle;
  return [
    { source, isNew, start, end, lines, endsInSource: !isNew, separator: '' },
    { ...piece, start: middle, lines: piece.lines - lines },
  ];
}

/**
 * Write the new text, after the byte order mark of the old one if it has one.
 *
 * @param separator replaces the separators inside new text
 * @returns the bytes, and how many lines a reader will count in them
 */
export function writePieces(
  bom: Buffer,
  pieces: readonly LinePiece[],
  separator: Separator,
): { bytes: Buffer; totalLines: number } {
  const size = pieces.reduce((sum, piece) => sum + byteLength(piece, separator), bom.length);
  const bytes = spareTexts.takeBytes(size);
  let at = bom.copy(bytes);
  let totalLines = 0;
  const advance = (written: number): void => {
    // An empty line that ends in `\n` follows a line that ends in `\r`: the two characters are one separator now.
    if (written > 0 && bytes[at] === LF && at > 0 && bytes[at - 1] === CR) totalLines -= 1;
    at += written;
  };
  for (const piece of pieces) {
    const text = textOf(piece);
    totalLines += piece.lines;
    advance(piece.isNew || typeof text === 'string' ? writeWith(separator, text, bytes, at) : text.copy(bytes, at));
    advance(bytes.write(piece.separator, at));
  }
  // Memory that was not written holds leftovers of other requests, which must never reach a file.
  if (at !== size) throw new Error(`edited text has ${at} bytes instead of ${size}`);
  const last = pieces.at(-1);
  if (last !== undefined && isOpen(last) && endsWithoutText(bytes)) totalLines -= 1;
  return { bytes, totalLines };
}

/** Whether nothing follows the last separator: a last line that is empty and has no separator does not exist. */
function endsWithoutText(bytes: Buffer): boolean {
  const lastByte = bytes.at(-1);
  return bytes.length === bomLength(bytes) || lastByte === LF || lastByte === CR;
}

function textOf({ source, start, end }: LinePiece): Buffer | string {
  return typeof source === 'string' ? source.slice(start, end) : source.subarray(start, end);
}

function byteLength(piece: LinePiece, inner: Separator): number {
  const text = textOf(piece);
  return (piece.isNew ? lengthWith(inner, text) : text.length) + piece.separator.length;
}
