/** Follows an expression character by character: which instructions may come next. */
import { endOfLine, type Alphabet } from './alphabet.js';
import type { CharacterSet } from './characters.js';
import type { Instruction, Program } from './program.js';
import type { Assertion } from './syntax.js';

export interface AutomatonOptions {
  /** Whether a match must begin where the run begins; otherwise it may begin anywhere. */
  readonly anchored: boolean;
  /** Whether only the match that JavaScript would find counts, among those that begin there. */
  readonly preferring: boolean;
}

/** What precedes the next character: the line's start, a word character, or another one. */
type Before = 'start' | 'word' | 'other';

export interface State {
  /** The instructions that may come next; in the order of preference if that matters. */
  readonly instructions: Uint16Array;
  readonly before: Before;
}

interface Followed {
  /** Whether a match ends before the character. */
  readonly matched: boolean;
  /** The state after it; meaningless after the end of a line. */
  readonly next: State;
}

export class Ways {
  /** The state at the start of a line. */
  readonly first: State;
  /** Instructions executed; whoever pauses resets it. */
  work = 0;

  readonly #instructions: readonly Instruction[];
  readonly #start: number;
  readonly #options: AutomatonOptions;
  /** For each instruction with a set: its only column, or for each column whether the set contains it. */
  readonly #columns: readonly (number | Uint8Array | undefined)[];
  readonly #wordColumns: Uint8Array | undefined;
  /** For each instruction: when it was last visited, and when last added to the next state. */
  readonly #visited: Uint32Array;
  readonly #added: Uint32Array;
  #visit = 0;
  readonly #stack: number[] = [];

  /** @param words what `\b` looks for */
  constructor({ instructions, start }: Program, alphabet: Alphabet, words: CharacterSet, options: AutomatonOptions) {
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
    this.#visited = new Uint32Array(instructions.length);
    this.#added = new Uint32Array(instructions.length);
    this.first = { instructions: Uint16Array.of(start), before: has('start') ? 'start' : 'other' };
  }

  /** Follow all ways from a state through a character of this column. */
  follow(state: State, column: number): Followed {
    const next: number[] = [];
    const matched = this.#collect(state, column, next);
    return { matched, next: this.#stateOf(next, column) };
  }

  /** The state after a character of this column if no match has begun. */
  behind(column: number): State {
    return this.#stateOf([this.#start], column);
  }

  /** @param next receives the instructions after the character @returns whether a match ends before it */
  #collect({ instructions, before }: State, column: number, next: number[]): boolean {
    const visit = ++this.#visit;
    const stack = this.#stack;
    let matched = false;
    for (const instruction of instructions) {
      stack.push(instruction);
      for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
        if (this.#visited[at] === visit) continue;
        this.#visited[at] = visit;
        this.work += 1;
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
}

/** Sorting is slow, and mostly not needed. */
function isAscending(numbers: Uint16Array): boolean {
  for (let index = 1; index < numbers.length; index++) {
    if ((numbers[index] ?? 0) < (numbers[index - 1] ?? 0)) return false;
  }
  return true;
}
