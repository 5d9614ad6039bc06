import { join, type Text } from '../scattered-text.js';
import { bomLength, CR, LF, type Separator } from '../separators.js';
import { withSeparators } from './new-text.js';
import { separatorBefore } from './separator-ends.js';

/** Whole lines of an edited text: untouched bytes of the old file, or text from the request. */
export interface LinePiece {
  readonly source: Buffer;
  /** Whether it is text from the request. */
  readonly isNew: boolean;
  /** Offset in the source. */
  readonly start: number;
  readonly end: number;
  /** At least 1. */
  readonly lines: number;
  /** Whether the separator of its last line lies before `end`: true in a file, never in new text. */
  readonly endsInSource: boolean;
  /** Written after the piece to end its last line. */
  separator: Separator | '';
}

/** Whether the last line of the piece has no separator. */
export function isOpen(piece: LinePiece): boolean {
  return !piece.endsInSource && piece.separator === '';
}

/** @param lines of the first part: at least 1, fewer than the piece has. New text is left open there */
export function splitPiece(piece: LinePiece, lines: number): [LinePiece, LinePiece] {
  const { source, isNew, start } = piece;
  const middle = behindLines(source, start, lines);
  const end = isNew ? middle - separatorBefore(source, middle).length : middle;
  return [
    { source, isNew, start, end, lines, endsInSource: !isNew, separator: '' },
    { ...piece, start: middle, lines: piece.lines - lines },
  ];
}

/** The end of the `lines`th line from `start`. There must be more of them. */
function behindLines(text: Buffer, start: number, lines: number): number {
  let at = start;
  for (let left = lines; left > 0 && at < text.length; at++) {
    const byte = text[at];
    if (byte === LF || (byte === CR && text[at + 1] !== LF)) left -= 1;
  }
  return at;
}

const separatorBytes = { '\n': Buffer.from('\n'), '\r\n': Buffer.from('\r\n'), '\r': Buffer.from('\r') } as const;

interface Joined {
  readonly text: Text;
  /** As a reader of the text will count them. */
  readonly totalLines: number;
}

/**
 * The new text: all pieces, after the old text's byte order mark if it has one.
 * @param separator replaces the separators inside new text
 */
export function joinPieces(bom: Buffer, pieces: readonly LinePiece[], separator: Separator): Joined {
  const parts: Buffer[] = [];
  const own: Buffer[] = [];
  let totalLines = 0;
  let lastByte: number | undefined;
  const add = (bytes: Buffer): void => {
    if (bytes.length === 0) return;
    // An empty line ending in `\n` follows a line ending in `\r`: the two characters now form one separator.
    if (bytes[0] === LF && lastByte === CR) totalLines -= 1;
    lastByte = bytes[bytes.length - 1];
    parts.push(bytes);
  };
  add(bom);
  for (const { source, isNew, start, end, lines, separator: ending } of pieces) {
    const given = source.subarray(start, end);
    const written = isNew ? withSeparators(separator, given) : given;
    if (written !== given) own.push(written);
    totalLines += lines;
    add(written);
    if (ending !== '') add(separatorBytes[ending]);
  }
  const text = join(parts, own);
  const last = pieces.at(-1);
  if (last !== undefined && isOpen(last) && (isOnlyBom(text) || lastByte === LF || lastByte === CR)) {
    // Nothing follows the last separator: an empty last line without a separator does not exist.
    totalLines -= 1;
  }
  return { text, totalLines };
}

/** A scattered text is longer. */
function isOnlyBom(text: Text): boolean {
  return Buffer.isBuffer(text) && text.length === bomLength(text);
}
