/**
 * Consecutive bytes that every match contains; letters may be in either case. The kernel finds two of them, in both
 * cases at once; searching for each spelling takes up to ten times as long.
 */
import { chunkSize, pairsIn, type MaskedByte } from '../../text/kernel.js';
import { charactersOf, costOf, costOfAutomaton, shareOf } from './literals.js';
import type { Places } from './line-search.js';
import type { CharacterSet } from './characters.js';
import type { Expression } from './syntax.js';

export interface Run {
  readonly bytes: readonly MaskedByte[];
  /** The two bytes to look for: the rarest ones, in order. */
  readonly first: number;
  readonly second: number;
}

/** The bit that tells small ASCII letters from capitals. */
const caseBit = 0x20;
/** Longer runs are hardly rarer. */
const mostBytes = 32;
/** Nanoseconds per byte passed over, and per pair found. */
const cost = { byte: 0.2, pair: 60 } as const;

/** @param strings to look for instead @returns undefined if there is no run, or finding it is slower */
export function runOf(expression: Expression, strings: readonly string[] | undefined): Run | undefined {
  let least = strings === undefined ? costOfAutomaton : costOf(strings);
  let best: Run | undefined;
  for (const bytes of rowsOf(expression)) {
    if (bytes.length < 2) continue;
    const run = pairOf(bytes);
    const time = cost.byte + cost.pair * share(bytes[run.first]) * share(bytes[run.second]);
    if (time < least) [best, least] = [run, time];
  }
  return best;
}

function pairOf(bytes: readonly MaskedByte[]): Run {
  const [one = 0, other = 1] = [...bytes.keys()].sort((a, b) => share(bytes[a]) - share(bytes[b]));
  return { bytes, first: Math.min(one, other), second: Math.max(one, other) };
}

function share(masked: MaskedByte | undefined): number {
  if (masked === undefined) return 1;
  const { byte, mask } = masked;
  return mask === 0 ? shareOf(byte) : shareOf(byte) + shareOf(byte & ~mask);
}

/** All runs of bytes that every match contains. */
function* rowsOf(expression: Expression): Generator<readonly MaskedByte[]> {
  if (expression.kind === 'repetition') {
    if (expression.least > 0) yield* rowsOf(expression.part);
  } else if (expression.kind === 'sequence') {
    let row: MaskedByte[] = [];
    for (const part of expression.parts) {
      const byte = part.kind === 'set' ? byteOf(part.set) : undefined;
      if (byte === undefined || row.length === mostBytes) {
        yield row;
        row = [];
      }
      if (byte === undefined) yield* rowsOf(part);
      else row.push(byte);
    }
    yield row;
  }
}

/** @returns undefined for a set that needs more than one comparison */
function byteOf(set: CharacterSet): MaskedByte | undefined {
  const [one = '', other] = charactersOf(set) ?? [];
  const byte = one.charCodeAt(0);
  // NaN if the set is empty.
  if (!(byte < 0x80) || set.length > 4) return undefined;
  if (other === undefined) return { byte, mask: 0 };
  const isLetter = /^[A-Z]$/.test(one) && other.charCodeAt(0) === byte + caseBit && charactersOf(set)?.length === 2;
  return isLetter ? { byte: byte | caseBit, mask: caseBit } : undefined;
}

/** The places of a run in a text. */
export class RunPlaces implements Places {
  readonly #run: Run;
  readonly #text: Buffer;
  /** The places of the pairs found in a part of the text, and the index of the next one. */
  #pairs: Uint32Array = new Uint32Array();
  #next = 0;
  #partAt = 0;
  /** Where the next part begins. */
  #partEnd = 0;

  constructor(run: Run, text: Buffer) {
    this.#run = run;
    this.#text = text;
  }

  from(offset: number): number {
    const { first } = this.#run;
    for (;;) {
      for (; this.#next < this.#pairs.length; this.#next++) {
        const place = this.#partAt + (this.#pairs[this.#next] ?? 0) - first;
        if (place >= offset && this.#isAt(place)) return place;
      }
      if (!this.#findPairs(offset)) return Infinity;
    }
  }

  /** @returns false at the end of the text */
  #findPairs(offset: number): boolean {
    const { bytes, first, second } = this.#run;
    const [one, other] = [bytes[first], bytes[second]];
    const start = Math.max(this.#partEnd, offset);
    if (start >= this.#text.length || one === undefined || other === undefined) return false;
    const part = this.#text.subarray(start, start + chunkSize);
    const distance = second - first;
    this.#pairs = pairsIn(part, one, other, distance);
    this.#next = 0;
    this.#partAt = start;
    // A pair may begin in one part and end in the next.
    this.#partEnd = part.length < chunkSize ? this.#text.length : start + part.length - distance;
    return true;
  }

  #isAt(place: number): boolean {
    const text = this.#text;
    return this.#run.bytes.every(({ byte, mask }, index) => ((text[place + index] ?? 0) | mask) === byte);
  }
}
