import { LF } from '../separators.js';
import type { ChangedPart } from './edited-text.js';
import { countLf } from './window-hunks.js';

/** Limit on lines remembered of a text; of a longer text, a sample is remembered. */
const mostLines = 16_384;

/** The start of a line that occurs in both texts. */
interface Anchor {
  readonly old: number;
  readonly new: number;
}

/** A part of two texts. */
interface Part extends ChangedPart {
  readonly old: Buffer;
  readonly text: Buffer;
}

/**
 * The longest sequence of lines that occur once in each text (sampled if there are many) and in the same order in both.
 * Lines are identified by hash only: the caller must compare them.
 */
export function anchorsBetween({ old, oldStart, oldEnd, text, newStart, newEnd }: Part): readonly Anchor[] {
  const lines = Math.max(countLf(old, oldStart, oldEnd), countLf(text, newStart, newEnd));
  const mask = 2 ** Math.max(0, Math.ceil(Math.log2(lines / mostLines))) - 1;
  const inNew = singleLines(text, newStart, newEnd, mask);
  const anchors: Anchor[] = [];
  for (const [hash, at] of singleLines(old, oldStart, oldEnd, mask)) {
    const there = inNew.get(hash) ?? repeated;
    if (at !== repeated && there !== repeated) anchors.push({ old: at, new: there });
  }
  return longestRising(anchors);
}

/** Stands for a line's start if several lines have the same hash. */
const repeated = -1;

/**
 * The start of each line by its hash, in order.
 * @param mask only lines whose hash has none of these bits
 */
function singleLines(text: Buffer, start: number, end: number, mask: number): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  // The first line may have begun before.
  let lineStart = text.subarray(0, end).indexOf(LF, start) + 1;
  let hash = fnvOffset;
  for (let at = lineStart === 0 ? end : lineStart; at < end; at++) {
    const byte = text[at] ?? 0;
    if (byte !== LF) {
      hash = Math.imul(hash ^ byte, fnvPrime);
      continue;
    }
    const isSampled = ((hash >>> 16) & mask) === 0;
    // `places` is bounded, as an attacker may have chosen lines for their hashes.
    if (isSampled && places.has(hash)) places.set(hash, repeated);
    else if (isSampled && places.size < 2 * mostLines) places.set(hash, lineStart);
    lineStart = at + 1;
    hash = fnvOffset;
  }
  return places;
}

const fnvOffset = 0x811c9dc5 | 0;
const fnvPrime = 0x01000193;

/** The longest selection whose places ascend in the new text too. */
function longestRising(anchors: readonly Anchor[]): readonly Anchor[] {
  /** For each length, the last anchor of the selection of that length that ends first. */
  const last: number[] = [];
  const previous = new Int32Array(anchors.length).fill(-1);
  for (const [index, anchor] of anchors.entries()) {
    let low = 0;
    for (let high = last.length; low < high;) {
      const middle = (low + high) >>> 1;
      if ((anchors[last[middle] ?? 0]?.new ?? 0) < anchor.new) low = middle + 1;
      else high = middle;
    }
    previous[index] = last[low - 1] ?? -1;
    last[low] = index;
  }
  const rising: Anchor[] = [];
  for (let index = last.at(-1) ?? -1; index !== -1; index = previous[index] ?? -1) {
    const anchor = anchors[index];
    if (anchor !== undefined) rising.push(anchor);
  }
  return rising.reverse();
}
