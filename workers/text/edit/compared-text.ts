import { sourceOf, type Source } from '../chunks.js';
import { LF } from '../separators.js';
import { anchorsBetween } from './anchors.js';
import type { ChangedPart, ChangedText } from './edited-text.js';

/** In bytes. In a shorter part the diff library finds the changes itself, and fewer of them. */
const leastAnchored = 4_096;
/** Bytes compared in one call. */
const stretch = 16_384;

/**
 * A whole new text. Unlike those of an edited text, its changes are not known: it is compared with the old text, in
 * linear time. Lines that have moved, or that occur several times, may count as changed.
 */
export class ComparedText implements ChangedText {
  readonly #old: Buffer;
  readonly #text: Buffer;

  constructor(old: Buffer, text: Buffer) {
    this.#old = old;
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  source(): Source {
    return sourceOf(this.#text);
  }

  *changes(): Generator<ChangedPart> {
    const [old, text] = [this.#old, this.#text];
    const shorter = Math.min(old.length, text.length);
    let oldStart = sameAfter(old, 0, text, 0, shorter);
    let newStart = oldStart;
    const sameEnd = sameBefore(old, old.length, text, text.length, shorter - oldStart);
    const [oldEnd, newEnd] = [old.length - sameEnd, text.length - sameEnd];
    const isLong = Math.min(oldEnd - oldStart, newEnd - newStart) >= leastAnchored;
    const anchors = isLong ? anchorsBetween({ old, oldStart, oldEnd, text, newStart, newEnd }) : [];
    for (const anchor of anchors) {
      // It lies in lines that an earlier anchor has shown to be the same.
      if (anchor.old < oldStart || anchor.new < newStart) continue;
      const after = sameAfter(old, anchor.old, text, anchor.new, Math.min(oldEnd - anchor.old, newEnd - anchor.new));
      // Different lines may have the same hash.
      if (after < old.indexOf(LF, anchor.old) + 1 - anchor.old) continue;
      const before = sameBefore(
        old,
        anchor.old,
        text,
        anchor.new,
        Math.min(anchor.old - oldStart, anchor.new - newStart),
      );
      yield { oldStart, oldEnd: anchor.old - before, newStart, newEnd: anchor.new - before };
      oldStart = anchor.old + after;
      newStart = anchor.new + after;
    }
    if (oldStart < oldEnd || newStart < newEnd) yield { oldStart, oldEnd, newStart, newEnd };
  }
}

/** The number of bytes after two positions that are the same, up to `most`. */
function sameAfter(old: Buffer, oldAt: number, text: Buffer, newAt: number, most: number): number {
  let same = 0;
  while (
    same + stretch <= most &&
    old.compare(text, newAt + same, newAt + same + stretch, oldAt + same, oldAt + same + stretch) === 0
  ) {
    same += stretch;
  }
  while (same < most && old[oldAt + same] === text[newAt + same]) same += 1;
  return same;
}

/** The number of bytes before two positions that are the same, up to `most`. */
function sameBefore(old: Buffer, oldAt: number, text: Buffer, newAt: number, most: number): number {
  let same = 0;
  while (
    same + stretch <= most &&
    old.compare(text, newAt - same - stretch, newAt - same, oldAt - same - stretch, oldAt - same) === 0
  ) {
    same += stretch;
  }
  while (same < most && old[oldAt - same - 1] === text[newAt - same - 1]) same += 1;
  return same;
}
