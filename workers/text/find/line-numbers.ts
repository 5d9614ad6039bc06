import { Chunks, countSeparators, sourceOf } from '../chunks.js';
import { CR, LF } from '../separators.js';
import type { Places } from './matches.js';
import type { Piece } from '../rope/piece.js';

/** Up to this many bytes, a loop counts faster than the kernel, which needs a copy in its memory. */
const mostByLoop = 128;

/**
 * The line numbers (spec 4) of these places in a text, counted from 1.
 * @param starts in bytes, ascending
 * @param most how many are wanted, from the first
 */
export function lineNumbers(pieces: readonly Piece[], starts: Places, most: number): number[] {
  const lines: number[] = [];
  visitLines(pieces, starts, (line) => lines.push(line) < most);
  return lines;
}

/**
 * As lineNumbers. Each piece is counted once, and the text between two places only in pieces that contain places.
 * @param visit receives the line of each place. @returns whether to continue
 */
export function visitLines(pieces: readonly Piece[], starts: Places, visit: (line: number) => boolean): void {
  let passed = 0;
  let line = 1;
  let at = 0;
  let behindCr = false;
  for (const piece of pieces) {
    const { source, start, end } = piece;
    if (start === end) continue;
    const pieceAt = at;
    at += end - start;
    const first = starts.at(passed);
    if (first === undefined) return;
    if (first >= at) {
      if (piece.separators === -1) countIn(piece);
      line += piece.separators - (behindCr && piece.startsWithLf ? 1 : 0);
      behindCr = piece.endsWithCr;
      continue;
    }
    let from = start;
    for (let next: number | undefined = first; next !== undefined && next < at; next = starts.at(passed)) {
      const to = start + next - pieceAt;
      line += separatorsBetween(source, from, to, behindCr);
      if (to > from) behindCr = source[to - 1] === CR;
      from = to;
      // Between the two halves of a `\r\n`: still the line that it ends.
      if (!visit(behindCr && source[to] === LF ? line - 1 : line)) return;
      passed += 1;
    }
    line += separatorsBetween(source, from, end, behindCr);
    behindCr = source[end - 1] === CR;
  }
}

function countIn(piece: Piece): void {
  const { source, start, end } = piece;
  piece.separators = separatorsBetween(source, start, end, false);
  piece.startsWithLf = source[start] === LF;
  piece.endsWithCr = source[end - 1] === CR;
}

/** Listing more would help no one. */
const mostNamed = 20;

/** The lines of some places, as listed in errors: `4, 9, 20`. @param starts in bytes, ascending */
export function namedLines(pieces: readonly Piece[], starts: Places): string {
  const lines = lineNumbers(pieces, starts, mostNamed).join(', ');
  return starts.length > mostNamed ? `${lines}, …` : lines;
}

/** @param behindCr whether a `\r` precedes them: a `\n` after it has been counted with it */
export function separatorsBetween(source: Buffer, start: number, end: number, behindCr: boolean): number {
  const half = behindCr && start < end && source[start] === LF ? 1 : 0;
  return (
    (end - start > mostByLoop ? countByKernel(source.subarray(start, end)) : countByLoop(source, start, end)) - half
  );
}

function countByKernel(bytes: Buffer): number {
  return countSeparators(new Chunks(sourceOf(bytes)));
}

function countByLoop(source: Buffer, start: number, end: number): number {
  let separators = 0;
  for (let at = start; at < end; at++) {
    const byte = source[at];
    if (byte === CR || (byte === LF && (at === start || source[at - 1] !== CR))) separators += 1;
  }
  return separators;
}

/** The line number of a byte in a contiguous text. */
export function lineAt(text: Buffer, offset: number): number {
  const within = text[offset - 1] === CR && text[offset] === LF ? 1 : 0;
  return 1 + separatorsBetween(text, 0, offset, false) - within;
}
