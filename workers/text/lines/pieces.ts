import { join, type Text } from '../scattered-text.js';
import { bomLength, CR, LF, type Separator } from '../separators.js';
import { textMemory } from '../text-memory.js';
import { LineScanner } from './line-scanner.js';
import { hasOnly, lengthWith, writeWith } from './new-text.js';

/**
 * Some whole lines of an edited text: untouched bytes of the old file, or text of the request, which stays as it arrived
 * until all pieces are known.
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

interface Joined {
  readonly text: Text;
  /** As a reader of the text will count them. */
  readonly totalLines: number;
}

/**
 * The new text: all pieces, after the byte order mark of the old one if it has one.
 * @param separator replaces the separators inside new text
 */
export function joinPieces(bom: Buffer, pieces: readonly LinePiece[], separator: Separator): Joined {
  const whole = pieces.map((piece) => wholePart(piece, separator));
  const size = pieces.reduce((sum, piece, index) => sum + addedLength(piece, separator, whole[index]), 0);
  const added = textMemory.take(size);
  const parts: Buffer[] = [bom];
  let [from, at] = [0, 0];
  let totalLines = 0;
  let lastByte: number | undefined;
  const pass = (bytes: Buffer, start: number, end: number): void => {
    if (start === end) return;
    // An empty line that ends in `\n` follows a line that ends in `\r`: the two characters are one separator now.
    if (bytes[start] === LF && lastByte === CR) totalLines -= 1;
    lastByte = bytes[end - 1];
  };
  const write = (length: number): void => {
    pass(added, at, at + length);
    at += length;
  };
  for (const [index, piece] of pieces.entries()) {
    const part = whole[index];
    totalLines += piece.lines;
    if (part === undefined) {
      write(writeWith(separator, textOf(piece), added, at));
    } else {
      parts.push(added.subarray(from, at), part);
      from = at;
      pass(part, 0, part.length);
    }
    write(added.write(piece.separator, at));
  }
  parts.push(added.subarray(from, at));
  // Memory that was not written holds leftovers of other requests, which must never reach a file.
  if (at !== size) throw new Error(`edited text has ${at} new bytes instead of ${size}`);
  const text = join(parts, [added]);
  const last = pieces.at(-1);
  if (last !== undefined && isOpen(last) && (isOnlyBom(text) || lastByte === LF || lastByte === CR)) {
    // Nothing follows the last separator: a last line that is empty and has no separator does not exist.
    totalLines -= 1;
  }
  return { text, totalLines };
}

/** What does not lie in one memory is longer. */
function isOnlyBom(text: Text): boolean {
  return Buffer.isBuffer(text) && text.length === bomLength(text);
}

function textOf({ source, start, end }: LinePiece): Buffer | string {
  return typeof source === 'string' ? source.slice(start, end) : source.subarray(start, end);
}

/** The bytes of a piece that go into the text as they are; undefined if there are none. */
function wholePart(piece: LinePiece, inner: Separator): Buffer | undefined {
  const text = textOf(piece);
  return typeof text === 'string' || (piece.isNew && !hasOnly(inner, text)) ? undefined : text;
}

/** How many bytes have to be written for a piece. */
function addedLength(piece: LinePiece, inner: Separator, whole: Buffer | undefined): number {
  return (whole === undefined ? lengthWith(inner, textOf(piece)) : 0) + piece.separator.length;
}
