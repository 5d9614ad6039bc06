import type { Anchor } from './anchor.js';
import { fold, mostFolded } from './case-folding.js';
import { Offsets } from './offsets.js';
import { contiguousEnd, type Piece } from './piece.js';
import type { Rope } from './rope.js';
import { findEach } from './search.js';
import { sieveMargin, type Needle, type Sieve } from './sieve.js';

/** Where a string occurs, in bytes, ascending. */
interface Matches {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Which occurrences are wanted. */
export interface Wanted {
  /** False: from left to right, each after the end of the one before. */
  readonly overlapping: boolean;
  /** At most this many: the first ones. */
  readonly most: number;
}

/** Where a text lies in several places and must be copied, at least so many bytes are searched at once. */
const leastChunk = 2_048;

/** A part of the text, from `start` up to `end`. */
interface Range {
  readonly start: number;
  end: number;
}

/**
 * Find a string in a text.
 * @param anchor of the needle
 * @param sieve and the number of the needle in it; undefined: search all of the text
 */
export function findMatches(
  rope: Rope,
  needle: Needle,
  anchor: Anchor,
  wanted: Wanted,
  sieve?: { readonly sieve: Sieve; readonly number: number },
): Matches {
  const matches = { starts: new Offsets(), ends: new Offsets() };
  const reach = needle.bytes.length * (needle.folded ? mostFolded : 1);
  const ranges =
    sieve === undefined ? [{ start: 0, end: rope.length }] : candidates(rope, sieve.sieve, sieve.number, reach);
  const reader = new ChunkReader(rope.pieces);
  for (const range of ranges) searchRange(reader, range, { needle, anchor, wanted, reach }, matches);
  return { starts: matches.starts.toArray(), ends: matches.ends.toArray() };
}

/** Ranges such that every match lies wholly in one of them. */
function candidates(rope: Rope, sieve: Sieve, number: number, reach: number): readonly Range[] {
  const ranges: Range[] = [];
  const margin = sieveMargin + reach;
  let at = 0;
  let last: Range | undefined;
  for (const { start: pieceStart, end: pieceEnd, marks } of rope.pieces) {
    const pieceAt = at;
    at += pieceEnd - pieceStart;
    if (marks !== undefined && !sieve.mayTouch(number, marks)) continue;
    const start = Math.max(0, pieceAt - margin);
    const end = Math.min(rope.length, at + margin);
    if (last !== undefined && start <= last.end) {
      last.end = end;
    } else {
      last = { start, end };
      ranges.push(last);
    }
  }
  return ranges;
}

interface Search {
  readonly needle: Needle;
  readonly anchor: Anchor;
  readonly wanted: Wanted;
  /** Most bytes of one match. */
  readonly reach: number;
}

function searchRange(
  reader: ChunkReader,
  { start, end }: Range,
  { needle, anchor, wanted: { overlapping, most }, reach }: Search,
  { starts, ends }: { readonly starts: Offsets; readonly ends: Offsets },
): void {
  const size = Math.max(leastChunk, 4 * reach);
  const folded = needle.folded ? Buffer.allocUnsafe(Math.min(size, end - start)) : undefined;
  for (let at = start; at < end && starts.length < most;) {
    // A view of the text costs nothing, however long it is; folding makes a copy.
    const chunk = reader.read(at, end, size, needle.folded ? size : Infinity);
    const isLast = at + chunk.length >= end;
    // A match that begins after this may go on in the next chunk.
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
      starts.push(chunkAt + from);
      ends.push(chunkAt + to);
      if (!overlapping) next = Math.max(next, chunkAt + to);
      return starts.length < most;
    };
    findEach(bytes, needle.bytes, overlapping, take, anchor);
    at = next;
  }
}

/** Gives contiguous parts of a text, each from a place after the beginning of the one before. */
class ChunkReader {
  readonly #pieces: readonly Piece[];
  #index = 0;
  /** Where the piece begins in the text. */
  #at = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /**
   * @param end of the part that is of interest at all
   * @param least how much is wanted at once, as a copy if need be, or else all up to `end`
   * @param most how much is taken where no copy is needed
   */
  read(from: number, end: number, least: number, most: number): Buffer {
    const pieces = this.#pieces;
    for (let piece = pieces[this.#index]; piece !== undefined; piece = pieces[++this.#index]) {
      const length = piece.end - piece.start;
      if (this.#at + length > from) break;
      this.#at += length;
    }
    const first = pieces[this.#index];
    if (first === undefined) return Buffer.alloc(0);
    const begin = first.start + from - this.#at;
    const wanted = end - from;
    const stop = contiguousEnd(pieces, this.#index, begin + Math.min(wanted, most));
    const view = Math.min(stop - begin, wanted, most);
    return view >= Math.min(least, wanted)
      ? first.source.subarray(begin, begin + view)
      : this.#copy(begin, Math.min(least, wanted));
  }

  #copy(begin: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let at = 0;
    let start = begin;
    for (let index = this.#index; at < length; index++) {
      const piece = this.#pieces[index];
      if (piece === undefined) break;
      if (index > this.#index) ({ start } = piece);
      at += piece.source.copy(bytes, at, start, Math.min(piece.end, start + length - at));
    }
    return bytes.subarray(0, at);
  }
}
