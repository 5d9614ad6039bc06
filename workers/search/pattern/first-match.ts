import { lengthOfCharacter } from '../../text/utf8.js';
import { endOfLine, type Alphabet } from './alphabet.js';
import { Automaton, isMatch, rowOf } from './automaton.js';
import type { CharacterSet } from './characters.js';
import type { Line } from './line-search.js';
import { programOf } from './program.js';
import type { Expression } from './syntax.js';

/** Characters after which others may have their turn. */
const stepSize = 65_536;

/**
 * Finds the first match in a line, which is needed only to cut a long line. It takes two runs: backwards over the line
 * to the first start of a match, and from there to the end of the match that JavaScript would find (unless a repeated
 * group may match nothing).
 */
export class FirstMatch {
  readonly #alphabet: Alphabet;
  readonly #backwards: Automaton;
  readonly #forwards: Automaton;

  constructor(expression: Expression, alphabet: Alphabet, words: CharacterSet) {
    this.#alphabet = alphabet;
    const backwards = { anchored: false, preferring: false };
    this.#backwards = new Automaton(programOf(expression, true), alphabet, words, backwards);
    const forwards = { anchored: true, preferring: true };
    this.#forwards = new Automaton(programOf(expression), alphabet, words, forwards);
  }

  /** @returns an empty part at the line's start if nothing matches */
  *find(bytes: Buffer, line: Line): Generator<undefined, Line> {
    const start = yield* this.#startIn(bytes, line);
    return { start, end: yield* this.#endIn(bytes, line, start) };
  }

  *#startIn(bytes: Buffer, line: Line): Generator<undefined, number> {
    const automaton = this.#backwards;
    let row = automaton.startRow;
    let start = line.start;
    let steps = 0;
    for (let at = line.end; at > line.start;) {
      const before = startOfCharacter(bytes, at);
      const entry = automaton.step(row, this.#alphabet.ofCharacter(bytes, before));
      if (isMatch(entry)) start = at;
      row = rowOf(entry);
      at = before;
      if (++steps % stepSize === 0 || automaton.isTired()) yield;
    }
    return isMatch(automaton.step(row, endOfLine)) ? line.start : start;
  }

  *#endIn(bytes: Buffer, line: Line, start: number): Generator<undefined, number> {
    const automaton = this.#forwards;
    const before = start === line.start ? undefined : startOfCharacter(bytes, start);
    let row = automaton.rowBehind(before === undefined ? undefined : this.#alphabet.ofCharacter(bytes, before));
    let end = start;
    let steps = 0;
    for (let at = start; at < line.end && !automaton.isDead(row);) {
      const entry = automaton.step(row, this.#alphabet.ofCharacter(bytes, at));
      if (isMatch(entry)) end = at;
      row = rowOf(entry);
      at += lengthOfCharacter(bytes[at] ?? 0);
      if (++steps % stepSize === 0 || automaton.isTired()) yield;
    }
    return isMatch(automaton.step(row, endOfLine)) ? line.end : end;
  }
}

/** Start of the character that ends at `end`. */
export function startOfCharacter(bytes: Buffer, end: number): number {
  let start = end - 1;
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
