/** Finds the lines of a text that match an expression, in ascending order. */
import { CR, LF } from '../../text/separators.js';
import type { Automaton } from './automaton.js';
import { probeOf, type Probe } from './literals.js';
import { RunPlaces, type Run } from './runs.js';

/** A line without its separator. */
export interface Line {
  readonly start: number;
  readonly end: number;
}

/** The result of one step of a search: a matching line, nothing yet, or the end of the text. */
export type NextLine = Line | 'pause' | 'end';

/** Bytes searched without a pause: about a millisecond. */
const stepSize = 524_288;
/** After this many lines with a string but no match, check whether searching for strings pays. */
const leastIdle = 16;
/** Finding a line by a string in vain takes as long as running the automaton over this many bytes. */
const costOfLine = 300;

export interface SearchPlan {
  /** Strings of which each matching line contains one; empty: not known. */
  readonly strings: readonly NeedleString[];
  /** A run of bytes to look for instead. */
  readonly run: Run | undefined;
  /** Undefined: each line with one of the strings matches. */
  readonly automaton: Automaton | undefined;
}

export class LineSearch {
  readonly #bytes: Buffer;
  readonly #automaton: Automaton | undefined;
  readonly #places: readonly Places[];
  /** Start of the first line that has not been passed. */
  #from: number;
  /** How far the automaton has got in it. */
  #at: number;
  /** The line that the automaton is in, if a string has found it. */
  #line: Line | undefined;
  readonly #begin: number;
  #idleLines = 0;

  /** @param from start of the first line */
  constructor({ strings, run, automaton }: SearchPlan, bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#automaton = automaton;
    this.#places =
      run === undefined ? strings.map((string) => new StringPlaces(string, bytes)) : [new RunPlaces(run, bytes)];
    this.#from = from;
    this.#at = from;
    this.#begin = from;
    if (automaton !== undefined) automaton.row = automaton.startRow;
  }

  next(): NextLine {
    const automaton = this.#automaton;
    if (automaton === undefined) return this.#nextWithString();
    return this.#usesStrings() ? this.#nextByBoth(automaton) : this.#nextByAutomaton(automaton);
  }

  /** Frequent strings that say little are slower than the automaton alone. */
  #usesStrings(): boolean {
    if (this.#line !== undefined) return true;
    const pays = this.#idleLines < leastIdle || this.#idleLines * costOfLine < this.#from - this.#begin;
    return pays && this.#places.length > 0;
  }

  #nextWithString(): NextLine {
    const line = this.#lineWithString();
    if (line === undefined) return 'end';
    this.#pass(line);
    return line;
  }

  #nextByBoth(automaton: Automaton): NextLine {
    const stopAt = this.#from + stepSize;
    do {
      const line = this.#line ?? this.#lineWithString();
      if (line === undefined) return 'end';
      if (this.#line === undefined) this.#at = line.start;
      this.#line = line;
      this.#at = automaton.find(this.#bytes, this.#at, Math.min(this.#at + stepSize, line.end));
      if (!automaton.found && this.#at < line.end) return 'pause';
      const matches = automaton.found || automaton.endsInMatch();
      automaton.row = automaton.startRow;
      this.#pass(line);
      if (matches) return line;
      this.#idleLines += 1;
    } while (this.#from < stopAt && this.#usesStrings());
    return 'pause';
  }

  #nextByAutomaton(automaton: Automaton): NextLine {
    const bytes = this.#bytes;
    const end = bytes.length;
    if (this.#from >= end) return 'end';
    this.#at = automaton.find(bytes, this.#at, Math.min(this.#at + stepSize, end));
    if (!automaton.found) {
      if (this.#at < end) return 'pause';
      // Only a last line without a separator is left.
      const hasLine = startOfLine(bytes, end, this.#from) < end;
      if (!hasLine || !automaton.endsInMatch()) {
        this.#from = end;
        return 'end';
      }
    }
    const line = { start: startOfLine(bytes, this.#at, this.#from), end: endOfLine(bytes, this.#at) };
    this.#pass(line);
    automaton.row = automaton.startRow;
    return line;
  }

  #pass({ end }: Line): void {
    this.#from = behindLine(this.#bytes, end);
    this.#at = this.#from;
    this.#line = undefined;
  }

  #lineWithString(): Line | undefined {
    let place = Infinity;
    for (const places of this.#places) place = Math.min(place, places.from(this.#from));
    if (place === Infinity) return undefined;
    return { start: startOfLine(this.#bytes, place, this.#from), end: endOfLine(this.#bytes, place) };
  }
}

export interface NeedleString {
  readonly bytes: Buffer;
  readonly probe: Probe;
}

export function needleString(text: string): NeedleString {
  const bytes = Buffer.from(text);
  return { bytes, probe: probeOf(bytes) };
}

/** The places in a text where something begins. */
export interface Places {
  /** The first one from `offset` on, which must not decrease; Infinity if there is none. */
  from(offset: number): number;
}

class StringPlaces implements Places {
  readonly #string: NeedleString;
  readonly #text: Buffer;
  #next = -1;

  constructor(string: NeedleString, text: Buffer) {
    this.#string = string;
    this.#text = text;
  }

  from(offset: number): number {
    if (this.#next >= offset) return this.#next;
    const { bytes, probe } = this.#string;
    const text = this.#text;
    let place = offset;
    for (;;) {
      const found = text.indexOf(probe.bytes, place + probe.at);
      if (found === -1) return (this.#next = Infinity);
      place = found - probe.at;
      const end = place + bytes.length;
      if (end > text.length) return (this.#next = Infinity);
      if (probe.bytes.length === bytes.length || text.compare(bytes, 0, bytes.length, place, end) === 0) break;
      place += 1;
    }
    return (this.#next = place);
  }
}

/** @param from where the line may start at the earliest, so that no byte is looked at twice */
export function startOfLine(bytes: Buffer, at: number, from: number): number {
  let start = at;
  while (start > from && !isSeparator(bytes[start - 1])) start -= 1;
  return start;
}

/** The end of the line that contains this place or ends at it. */
export function endOfLine(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && !isSeparator(bytes[end])) end += 1;
  return end;
}

/** Where the next line begins. @param end of a line without its separator */
export function behindLine(bytes: Buffer, end: number): number {
  if (bytes[end] === CR && bytes[end + 1] === LF) return end + 2;
  return Math.min(end + 1, bytes.length);
}

function isSeparator(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}
