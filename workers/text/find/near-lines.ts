/**
 * Finds the lines of a text that most resemble a given one: those that share the most trigrams, in a single pass over
 * its bytes, which takes about 10 ms for 1 MB.
 */
import { CR, LF } from '../separators.js';
import { lineAt } from './line-numbers.js';

const mostLines = 3;
/** Lines less alike are unrelated. */
const leastLikeness = 0.4;
/** In trigrams. Longer lines are compared in parts if they are more than twice as long as the wanted one. */
const longestWhole = 128;
const tableSize = 65_536;
/** In UTF-16 units. Longer lines are found by shared trigrams. */
const longestByEdge = 40;
/** Share of a line that must be the same, and the minimum in bytes. */
const leastShared = { part: 0.4, bytes: 3 };

/** A line of a text that resembles a given one. */
export interface NearLine {
  /** Counted from 1. */
  readonly line: number;
  /** In a long line: start of the relevant part. */
  readonly start: number;
  /** End of the line or part, before its separator. */
  readonly end: number;
  /** Share of trigrams that the two have in common, 0 to 1. */
  readonly likeness: number;
}

/** @returns at most three, the most likely first; none if `wanted` has fewer than three characters */
export function nearestLines(text: Buffer, wanted: Buffer): readonly NearLine[] {
  const groups = new Uint8Array(tableSize);
  const size = scanLines(wanted, (group) => {
    groups[group] = 1;
  });
  const nearest: NearLine[] = [];
  if (size === 0) return nearest;
  let hits = 0;
  const finish = (line: number, start: number, end: number, count: number): void => {
    const likeness = (2 * Math.min(hits, size)) / (size + count);
    hits = 0;
    if (likeness < leastLikeness || likeness <= (nearest[mostLines - 1]?.likeness ?? 0)) return;
    const sameLine = nearest.findIndex((other) => other.line === line);
    if (sameLine !== -1 && likeness <= (nearest[sameLine]?.likeness ?? 0)) return;
    if (sameLine !== -1) nearest.splice(sameLine, 1);
    nearest.push({ line, start, end, likeness });
    nearest.sort((a, b) => b.likeness - a.likeness || a.line - b.line);
    nearest.length = Math.min(nearest.length, mostLines);
  };
  const count = (group: number): void => {
    hits += groups[group] ?? 0;
  };
  scanLines(text, count, finish, Math.max(longestWhole, 2 * size));
  return nearest;
}

/**
 * @param group receives the hash of every trigram of a line, blanks skipped
 * @param finish receives the end of every line and its number of trigrams
 * @param most trigrams in a part of a line
 * @returns the number of trigrams of the last line
 */
function scanLines(
  text: Buffer,
  group: (hash: number) => void,
  finish?: (line: number, start: number, end: number, groups: number) => void,
  most = Infinity,
): number {
  let line = 1;
  let start = 0;
  let characters = 0;
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0;
    if (byte === LF || byte === CR) {
      finish?.(line, start, at, Math.max(0, characters - 2));
      if (byte === CR && text[at + 1] === LF) at += 1;
      line += 1;
      start = at + 1;
      characters = 0;
    } else if (byte > 0x20) {
      const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
      last = ((last << 8) | lower) & 0xffffff;
      characters += 1;
      if (characters < 3) continue;
      group(Math.imul(last, 0x9e3779b1) >>> 16);
      if (characters - 2 < most) continue;
      finish?.(line, start, at + 1, most);
      start = at + 1;
      characters = 0;
    }
  }
  const groups = Math.max(0, characters - 2);
  if (start < text.length) finish?.(line, start, text.length, groups);
  return groups;
}

/**
 * The first line of a text that contains the beginning or the end of a short one: `x = 2` and `x = 1` share too few
 * trigrams to match by those. Takes 4 ms for 1 MB.
 */
export function lineWithEdge(text: Buffer, wanted: string): NearLine | undefined {
  if (wanted.length > longestByEdge) return undefined;
  const bytes = Buffer.from(wanted);
  const edges = [
    (length: number) => bytes.subarray(0, length),
    (length: number) => bytes.subarray(bytes.length - length),
  ];
  // As bytes: Node 24 aborts the process when a Buffer is searched for certain strings.
  const shared = edges.map((edge) => edge(longestSuch(bytes.length, (length) => text.includes(edge(length)))));
  const [best = bytes] = shared.sort((a, b) => b.length - a.length);
  if (best.length < Math.max(leastShared.bytes, leastShared.part * bytes.length)) return undefined;
  const at = text.indexOf(best);
  return {
    line: lineAt(text, at),
    start: startOfLine(text, at, 0),
    end: endOfLine(text, at),
    likeness: best.length / bytes.length,
  };
}

/** The greatest length up to `most` that satisfies `holds`, which must be true for all shorter ones. */
export function longestSuch(most: number, holds: (length: number) => boolean): number {
  let [least, end] = [0, most];
  while (least < end) {
    const length = Math.ceil((least + end) / 2);
    if (holds(length)) least = length;
    else end = length - 1;
  }
  return least;
}

function endOfLine(text: Buffer, at: number): number {
  const ends = [LF, CR].map((separator) => text.indexOf(separator, at)).filter((end) => end !== -1);
  return Math.min(text.length, ...ends);
}

/** The start of the line `linesBack` lines before the one that contains `start`. */
export function startOfLine(text: Buffer, start: number, linesBack: number): number {
  let at = start;
  for (let left = linesBack; at > 0; at--) {
    const byte = text[at - 1];
    if ((byte === LF || (byte === CR && text[at] !== LF)) && --left < 0) break;
  }
  return at;
}
