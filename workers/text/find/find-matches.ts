import { fold, mostFolded } from './case-folding.js';
import { ChunkReader, type PiecePlace } from './chunk-reader.js';
import { Matches } from './matches.js';
import { lengthAt, type Piece } from '../rope/piece.js';
import type { Probe } from './probe.js';
import type { Rope } from '../rope/rope.js';
import { findEach } from './search.js';
import { sieveMargin, type Needle, type Sieve } from './sieve.js';
import { WholeWords } from './whole-words.js';

/** Which occurrences are wanted. */
interface Wanted {
  /** False: from left to right, without overlap. */
  readonly overlapping: boolean;
  /** At most this many, from the first. */
  readonly most: number;
  /** Only whole words. */
  readonly wholeWord: boolean;
}

/** Where text is scattered and must be copied, search at least this many bytes at a time. */
const leastChunk = 2_048;

/** A part of the text, from `start` up to `end`. */
interface Range extends PiecePlace {
  readonly start: number;
  end: number;
}

/**
 * Find a string in a text.
 * @param probe of the needle
 * @param sieve and the number of the needle in it; undefined: search all of the text
 */
export function findMatches(
  rope: Rope,
  needle: Needle,
  probe: Probe,
  wanted: Wanted,
  sieve?: { readonly sieve: Sieve; readonly number: number },
): Matches {
  const matches = new Matches();
  const reach = needle.bytes.length * (needle.folded ? mostFolded : 1);
  const ranges =
    sieve === undefined
      ? [{ start: 0, end: rope.length, piece: 0, pieceAt: 0 }]
      : candidates(rope, sieve.sieve, sieve.number, reach);
  for (const range of ranges) searchRange(rope.pieces, range, { needle, probe, wanted, reach }, matches);
  return matches;
}

/** Ranges such that every match lies entirely within one of them. */
function candidates(rope: Rope, sieve: Sieve, number: number, reach: number): readonly Range[] {
  const { pieces } = rope;
  const ranges: Range[] = [];
  const margin = sieveMargin + reach;
  let at = 0;
  let last: Range | undefined;
  // entries() would allocate an object for each of thousands of pieces, for each of 1000 edits.
  for (let index = 0; index < pieces.length; index++) {
    let pieceAt = at;
    at += lengthAt(pieces, index);
    const marks = pieces[index]?.marks;
    if (marks !== undefined && !sieve.mayTouch(number, marks)) continue;
    const start = Math.max(0, pieceAt - margin);
    const end = Math.min(rope.length, at + margin);
    if (last !== undefined && start <= last.end) {
      last.end = end;
      continue;
    }
    let piece = index;
    for (; pieceAt > start; pieceAt -= lengthAt(pieces, piece)) piece -= 1;
    last = { start, end, piece, pieceAt };
    ranges.push(last);
  }
  return ranges;
}

interface Search {
  readonly needle: Needle;
  readonly probe: Probe;
  readonly wanted: Wanted;
  /** Most bytes of one match. */
  readonly reach: number;
}

function searchRange(
  pieces: readonly Piece[],
  range: Range,
  { needle, probe, wanted: { overlapping, most, wholeWord }, reach }: Search,
  matches: Matches,
): void {
  const { start, end } = range;
  const reader = new ChunkReader(pieces, range);
  const size = Math.max(leastChunk, 4 * reach);
  const words = wholeWord ? new WholeWords(pieces) : undefined;
  let lastEnd = 0;
  const folded = needle.folded ? Buffer.allocUnsafe(Math.min(size, end - start)) : undefined;
  for (let at = start; at < end && matches.length < most;) {
    // A view of the text is free at any length; folding makes a copy.
    const chunk = reader.read(at, end, size, needle.folded ? size : Infinity);
    const isLast = at + chunk.length >= end;
    // A match that begins after this may continue in the next chunk.
    const decided = isLast ? chunk.length : chunk.length - reach;
    let next = at + decided;
    const { bytes, sourceOffset } =
      folded === undefined ? { bytes: chunk, sourceOffset: undefined } : fold(chunk, folded);
    const chunkAt = at;
    const take = (found: number): boolean => {
      const from = sourceOffset === undefined ? found : sourceOffset(found);
      if (from >= decided) return false;
      const foundEnd = found + needle.bytes.length;
      const to = sourceOffset === undefined ? foundEnd : sourceOffset(foundEnd);
      const [matchStart, matchEnd] = [chunkAt + from, chunkAt + to];
      if (words !== undefined && (matchStart < lastEnd || !words.has(matchStart, matchEnd))) return true;
      matches.push(matchStart, matchEnd);
      if (!overlapping) {
        lastEnd = matchEnd;
        next = Math.max(next, matchEnd);
      }
      return matches.length < most;
    };
    // A match that is not a whole word may overlap one that is.
    findEach(bytes, needle.bytes, overlapping || wholeWord, take, probe);
    at = next;
  }
}
