/** An expression as a nondeterministic automaton, made as Thompson (1968) describes. */
import type { CharacterSet } from './characters.js';
import type { Assertion, Expression, Repetition } from './syntax.js';

export type Instruction =
  | { readonly kind: 'set'; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly next: number }
  /** Either of two ways; a backtracking engine would try the first one first. */
  | { readonly kind: 'split'; first: number; second: number }
  | { readonly kind: 'match' };

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
}

/** Rough number of characters in an expression, repetitions included; it takes at most twice as many instructions. */
export function sizeOf(expression: Expression): number {
  switch (expression.kind) {
    case 'set':
    case 'assertion':
      return 1;
    case 'sequence':
      return expression.parts.reduce((size, part) => size + sizeOf(part), 0);
    case 'choice':
      return expression.options.reduce((size, option) => size + 1 + sizeOf(option), 0);
    case 'repetition': {
      const { part, least, most } = expression;
      const copies = most === Infinity ? Math.max(1, least) : most;
      // A billion copies take time, even of nothing.
      return copies * Math.max(1, sizeOf(part));
    }
  }
}

/** @param backwards whether it reads from the end of a match to its start */
export function programOf(expression: Expression, backwards = false): Program {
  const compiler = new Compiler(backwards);
  const start = compiler.add(expression, compiler.push({ kind: 'match' }));
  return { instructions: compiler.instructions, start };
}

/** The sets that it tells apart. @param words what `\b` looks for */
export function setsOf({ instructions }: Program, words: CharacterSet): readonly CharacterSet[] {
  const sets = new Map<string, CharacterSet>();
  const add = (set: CharacterSet): unknown => sets.set(set.join(), set);
  for (const each of instructions) {
    if (each.kind === 'set') add(each.set);
    else if (each.kind === 'assertion' && (each.assertion === 'word' || each.assertion === 'not-word')) add(words);
  }
  return [...sets.values()];
}

const seenBackwards = { start: 'end', end: 'start', word: 'word', 'not-word': 'not-word' } as const;

/** Adds instructions from the end to the start, so that each knows the one after it. */
class Compiler {
  readonly instructions: Instruction[] = [];
  readonly #backwards: boolean;

  constructor(backwards: boolean) {
    this.#backwards = backwards;
  }

  /** @returns its number */
  push(instruction: Instruction): number {
    return this.instructions.push(instruction) - 1;
  }

  /** @param next what follows the expression @returns where it begins */
  add(expression: Expression, next: number): number {
    switch (expression.kind) {
      case 'set':
        return this.push({ ...expression, next });
      case 'assertion': {
        const { assertion } = expression;
        return this.push({
          kind: 'assertion',
          assertion: this.#backwards ? seenBackwards[assertion] : assertion,
          next,
        });
      }
      case 'sequence': {
        const { parts } = expression;
        const add = (following: number, part: Expression): number => this.add(part, following);
        return this.#backwards ? parts.reduce(add, next) : parts.reduceRight(add, next);
      }
      case 'choice': {
        const starts = expression.options.map((option) => this.add(option, next));
        return starts.reduceRight((second, first) => this.push({ kind: 'split', first, second }));
      }
      case 'repetition':
        return this.#repetition(expression, next);
    }
  }

  #repetition({ part, least, most, lazy }: Repetition, next: number): number {
    let start = next;
    let copies = least;
    if (most === Infinity) {
      const loop = { kind: 'split' as const, first: next, second: next };
      const again = this.push(loop);
      const once = this.add(part, again);
      loop[lazy ? 'second' : 'first'] = once;
      start = least === 0 ? again : once;
      copies = Math.max(0, least - 1);
    } else {
      for (let optional = least; optional < most; optional++) {
        const once = this.add(part, start);
        start = this.push(
          lazy ? { kind: 'split', first: next, second: once } : { kind: 'split', first: once, second: next },
        );
      }
    }
    for (let copy = 0; copy < copies; copy++) start = this.add(part, start);
    return start;
  }
}
