/**
 * Runs an expression over bytes in time linear in their number, whatever the expression: a deterministic automaton
 * whose states are made when a text first leads to them (as in RE2). Each character is looked at once, and what
 * becomes of a state and a class of characters is worked out at most once while the table lasts.
 */
import { CR, LF } from '../../text/separators.js';
import { lengthOfCharacter } from '../../text/utf8.js';
import { endOfLine, type Alphabet } from './alphabet.js';
import type { CharacterSet } from './characters.js';
import type { Instruction, Program } from './program.js';
import type { Assertion } from './syntax.js';

/** An entry of the table that is not known yet. Entries from 0 on are the rows of states. */
const unknown = -1;
/** This entry, and those below it, say that a match ends before the character; see `rowOf`. */
const firstMatch = -2;

/** Entries of the table: 1 MB. */
const mostEntries = 262_144;
/** Instructions of all states. */
const mostHeld = 524_288;
const fewestStates = 16;
/**
 * States are kept while each serves for so many bytes. Otherwise the text leads to ever new ones, as it may with
 * `a.{300}b`: making them takes twice as long as following the instructions.
 */
const leastUse = 8;
/** In bytes: then keeping them is tried again. */
const mostUnkept = 65_536;
/** Instructions that are looked at without a pause: about a millisecond. */
const mostWork = 100_000;

export interface AutomatonOptions {
  /** Whether a match must begin where the run begins; otherwise it may begin anywhere. */
  readonly anchored: boolean;
  /** Whether, of the matches that begin there, only the one that JavaScript would find counts. */
  readonly preferring: boolean;
}

/** What precedes the next character: the line's start, a word character, or another one. */
type Before = 'start' | 'word' | 'other';

interface State {
  /** The instructions that may come next; in the order of preference if that matters. */
  readonly instructions: Uint16Array;
  readonly before: Before;
}

export class Automaton {
  readonly #alphabet: Alphabet;
  readonly #instructions: readonly Instruction[];
  readonly #start: number;
  readonly #options: AutomatonOptions;
  /** For each instruction with a set: the only column in it, or for each column whether it is in it. */
  readonly #columns: readonly (number | Uint8Array | undefined)[];
  readonly #wordColumns: Uint8Array | undefined;
  readonly #looksBehind: boolean;
  readonly #first: State;

  #table: Int32Array;
  #states: State[] = [];
  readonly #rows = new Map<string, number>();
  #held = 0;
  /** Bytes since the table was empty, or since states are not kept. */
  #passed = 0;
  #keeps = true;
  /** The current state if it is not kept, and its row, which stays empty. */
  #unkept: State;
  readonly #unkeptRow: number;

  /** For each instruction: when it was last visited, and when last added to the next state. */
  readonly #visited: Uint32Array;
  readonly #added: Uint32Array;
  #visit = 0;
  readonly #stack: number[] = [];

  /** Instructions looked at since the last pause. */
  #work = 0;

  /** @param words what `\b` looks for */
  constructor({ instructions, start }: Program, alphabet: Alphabet, words: CharacterSet, options: AutomatonOptions) {
    this.#alphabet = alphabet;
    this.#instructions = instructions;
    this.#start = start;
    this.#options = options;
    const columns = new Map<CharacterSet, number | Uint8Array>();
    this.#columns = instructions.map((instruction) => {
      if (instruction.kind !== 'set') return undefined;
      const known = columns.get(instruction.set) ?? alphabet.columnOrColumnsOf(instruction.set);
      columns.set(instruction.set, known);
      return known;
    });
    const has = (...assertions: readonly string[]): boolean =>
      instructions.some((each) => each.kind === 'assertion' && assertions.includes(each.assertion));
    this.#wordColumns = has('word', 'not-word') ? alphabet.columnsOf(words) : undefined;
    this.#looksBehind = has('start');
    this.#visited = new Uint32Array(instructions.length);
    this.#added = new Uint32Array(instructions.length);
    this.#table = new Int32Array(fewestStates * alphabet.columns).fill(unknown);
    this.#first = { instructions: Uint16Array.of(start), before: this.#looksBehind ? 'start' : 'other' };
    this.#unkept = this.#first;
    this.#unkeptRow = alphabet.columns;
    this.#clear();
  }

  /** The row of the state at the start of a line. */
  readonly startRow = 0;
  /** Where `find` has stopped. */
  row = 0;
  /** Whether it has stopped at a match. */
  found = false;

  /**
   * Run over whole lines, each from its start.
   * @param at where to begin, in the state `row`
   * @returns where it has stopped: at a match, in its line or at the end of it; at or right behind `end`; or earlier,
   *   after much work. A last line without a separator does not end there: see `endsInMatch`
   */
  find(bytes: Buffer, at: number, end: number): number {
    const { ofByte } = this.#alphabet;
    this.found = false;
    let from = at;
    while (from < end) {
      const start = from;
      from = runOver(bytes, start, end, this.#table, ofByte, this.row);
      this.#passed += from - start;
      const row = reached[0] ?? 0;
      this.row = row;
      if (from >= end) break;
      const next = this.#decide(bytes, from, row);
      if (isMatch(next)) {
        this.found = true;
        break;
      }
      this.row = next;
      from += lengthAt(bytes, from);
      if (this.isTired()) break;
    }
    return from;
  }

  /** Whether a match ends at the end of the line that `find` has stopped in. */
  endsInMatch(): boolean {
    return isMatch(this.step(this.row, endOfLine));
  }

  /** The entry for what the table cannot decide by the byte alone, or does not know yet. */
  #decide(bytes: Buffer, at: number, row: number): number {
    const byte = bytes[at];
    return this.step(row, byte === LF || byte === CR ? endOfLine : this.#alphabet.ofCharacter(bytes, at));
  }

  /** The entry of the table for a state and a column. If it is new, rows that are kept elsewhere may be invalid. */
  step(row: number, column: number): number {
    this.#passed += 1;
    const known = this.#table[row + column] ?? unknown;
    return known === unknown ? this.#workOut(row, column) : known;
  }

  /** Whether it has worked so much that others should have their turn; if so, it is rested afterwards. */
  isTired(): boolean {
    if (this.#work < mostWork) return false;
    this.#work = 0;
    return true;
  }

  /**
   * The row from which to step on inside a line.
   * @param column of the character before; undefined at the start of the line
   */
  rowBehind(column: number | undefined): number {
    return column === undefined ? this.startRow : this.#rowOf(this.#stateOf([this.#start], column));
  }

  /** Whether nothing that follows can be part of a match. */
  isDead(row: number): boolean {
    return this.#stateAt(row).instructions.length === 0;
  }

  #stateAt(row: number): State {
    return row === this.#unkeptRow ? this.#unkept : (this.#states[row / this.#alphabet.columns] ?? this.#first);
  }

  #workOut(row: number, column: number): number {
    const state = this.#stateAt(row);
    const next: number[] = [];
    const matched = this.#follow(state, column, next);
    const nextRow = column === endOfLine ? this.startRow : this.#rowOf(this.#stateOf(next, column));
    const entry = matched ? firstMatch - nextRow : nextRow;
    // If there was no room for the next state, this one is gone.
    const isKept = row !== this.#unkeptRow && this.#stateAt(row) === state;
    if (isKept && nextRow !== this.#unkeptRow) this.#table[row + column] = entry;
    return entry;
  }

  /**
   * Follow all ways from a state.
   * @param next receives the instructions behind a character of this column
   * @returns whether there is a match before it
   */
  #follow({ instructions, before }: State, column: number, next: number[]): boolean {
    const visit = ++this.#visit;
    const stack = this.#stack;
    let matched = false;
    for (const instruction of instructions) {
      stack.push(instruction);
      for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
        if (this.#visited[at] === visit) continue;
        this.#visited[at] = visit;
        this.#work += 1;
        const step = this.#instructions[at];
        if (step === undefined) continue;
        if (step.kind === 'split') {
          stack.push(step.second, step.first);
        } else if (step.kind === 'set') {
          const columns = this.#columns[at];
          if (typeof columns === 'number' ? columns === column : columns?.[column] === 1) this.#add(step.next, next);
        } else if (step.kind === 'assertion') {
          if (this.#holds(step.assertion, before, column)) stack.push(step.next);
        } else {
          matched = true;
          if (!this.#options.preferring) continue;
          // A backtracking engine would take this match and look no further.
          stack.length = 0;
          return true;
        }
      }
    }
    if (!this.#options.anchored) this.#add(this.#start, next);
    return matched;
  }

  #add(instruction: number, next: number[]): void {
    if (this.#added[instruction] === this.#visit) return;
    this.#added[instruction] = this.#visit;
    next.push(instruction);
  }

  #holds(assertion: Assertion, before: Before, column: number): boolean {
    if (assertion === 'start') return before === 'start';
    if (assertion === 'end') return column === endOfLine;
    const between = (before === 'word') !== (this.#wordColumns?.[column] === 1);
    return between === (assertion === 'word');
  }

  #stateOf(next: number[], column: number): State {
    const instructions = new Uint16Array(next);
    if (!this.#options.preferring && !isAscending(instructions)) instructions.sort();
    return { instructions, before: this.#wordColumns?.[column] === 1 ? 'word' : 'other' };
  }

  #rowOf(state: State): number {
    if (!this.#keeps) {
      if (this.#passed < mostUnkept) {
        this.#unkept = state;
        return this.#unkeptRow;
      }
      this.#keeps = true;
      this.#passed = 0;
    }
    const key = keyOf(state);
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    if (this.#isFull(state.instructions.length)) {
      this.#keeps = this.#passed > leastUse * this.#states.length;
      this.#clear();
      return this.#rowOf(state);
    }
    return this.#keep(state, key);
  }

  #keep(state: State, key: string): number {
    const row = this.#states.push(state) * this.#alphabet.columns - this.#alphabet.columns;
    if (row >= this.#table.length) {
      const larger = new Int32Array(2 * this.#table.length).fill(unknown, row);
      larger.set(this.#table);
      this.#table = larger;
    }
    this.#rows.set(key, row);
    this.#held += state.instructions.length;
    return row;
  }

  #isFull(more: number): boolean {
    const states = this.#states.length + 1;
    if (states <= fewestStates) return false;
    return states * this.#alphabet.columns > mostEntries || this.#held + more > mostHeld;
  }

  #clear(): void {
    this.#rows.clear();
    this.#table.fill(unknown);
    // The second place is that of the states that are not kept.
    this.#states = [this.#first, this.#first];
    this.#rows.set(keyOf(this.#first), this.startRow);
    this.#held = 0;
    this.#passed = 0;
  }
}

function keyOf({ instructions, before }: State): string {
  const bytes = Buffer.from(instructions.buffer, instructions.byteOffset, instructions.byteLength);
  return `${before}${bytes.toString('latin1')}`;
}

/** Sorting is slow, and mostly not needed. */
function isAscending(numbers: Uint16Array): boolean {
  for (let index = 1; index < numbers.length; index++) {
    if ((numbers[index] ?? 0) < (numbers[index - 1] ?? 0)) return false;
  }
  return true;
}

/** The row in which `runOver` has stopped. */
const reached = new Int32Array(1);

/**
 * The inner loop. It is a function of its own, without an object, because the engine then optimizes it once and well:
 * 1.3 ns for a byte instead of 3.9.
 * @returns the offset of the first byte that the table cannot decide, or `end`
 */
function runOver(
  bytes: Buffer,
  at: number,
  end: number,
  table: Int32Array,
  ofByte: Uint16Array,
  startRow: number,
): number {
  let row = startRow;
  let from = at;
  while (from < end) {
    const next = table[row + (ofByte[bytes[from] ?? 0] ?? 0)] ?? 0;
    // Most bytes leave the state as it is. The processor guesses that, and need not wait for one look-up to begin the
    // next.
    if (next !== row) {
      if (next < 0) break;
      row = next;
    }
    from += 1;
  }
  reached[0] = row;
  return from;
}

/** Whether this entry of the table says that a match ends before the character. */
export function isMatch(entry: number): boolean {
  return entry < unknown;
}

/** The row of the state that an entry leads to. */
export function rowOf(entry: number): number {
  return isMatch(entry) ? firstMatch - entry : entry;
}

/** Of what is decided in one go: a character, or `\r\n`. */
function lengthAt(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte === CR) return bytes[at + 1] === LF ? 2 : 1;
  return lengthOfCharacter(byte);
}
