/**
 * What a search looks for. Expressions run as our own automaton over the bytes of a text (pattern/automaton.ts), and
 * only on lines that contain a string required by every match, if there is one. For 10 MB of source text, in
 * milliseconds:
 *
 *                           here   V8 (`u`)   V8 (`l`)   re2js 2.10
 *   a rare literal           0.4         10        510           13
 *   \w+Exception\b           2.3        184      1,517           12
 *   \d{4}-\d{2}              23         12        417           16
 *   [a-z]+[0-9]{2}[a-z]       45         71        669           78
 *
 * The others need each line as a string, which takes another 200. V8's default engine takes exponential time for some
 * patterns. Its linear one, behind a process-wide switch, supports neither flag `i` nor `u`, and rejects x{1,1000}.
 */
import { Alphabet } from './pattern/alphabet.js';
import { Automaton } from './pattern/automaton.js';
import type { CharacterSet } from './pattern/characters.js';
import { FirstMatch } from './pattern/first-match.js';
import { literalsOf } from './pattern/literals.js';
import { LineSearch, needleString, type Line, type SearchPlan, type NeedleString } from './pattern/line-search.js';
import { programOf, setsOf, sizeOf } from './pattern/program.js';
import { runOf } from './pattern/runs.js';
import { tooLarge } from './pattern/refusals.js';
import { wordSet } from './pattern/escapes.js';
import { literalExpression, parse, type Expression } from './pattern/syntax.js';

export interface PatternText {
  readonly pattern: string;
  /** Whether it is a text, not a regular expression. */
  readonly literal: boolean;
  readonly ignoreCase: boolean;
}

/**
 * Limit on the characters of an expression, repetitions included. At worst, a search takes time proportional to their
 * number times the length of the text.
 */
const mostCharacters = 10_000;

/** Searches one text at a time. */
export class Pattern {
  readonly #expression: Expression;
  readonly #words: CharacterSet;
  readonly #plan: SearchPlan;
  readonly #alphabet: Alphabet | undefined;
  /** Every match contains one of these strings; none: not known. */
  readonly #strings: readonly string[];
  #firstMatch: FirstMatch | undefined;

  /** @throws OperationError invalid_params */
  constructor({ pattern, literal, ignoreCase }: PatternText) {
    if (!literal && pattern.length > mostCharacters) throw tooLarge(mostCharacters);
    const expression = literal ? literalExpression(pattern, ignoreCase) : parse(pattern, ignoreCase);
    const literals = literalsOf(expression);
    const strings = (literals?.strings ?? []).map(needleString);
    this.#strings = literals?.strings ?? [];
    this.#expression = expression;
    this.#words = wordSet(ignoreCase);
    if (literals !== undefined && (literals.whole || strings.length === 0)) {
      this.#plan = { strings, run: undefined, automaton: undefined };
      return;
    }
    if (sizeOf(expression) > mostCharacters) throw tooLarge(mostCharacters);
    const program = programOf(expression);
    this.#alphabet = new Alphabet(setsOf(program, this.#words));
    const options = { anchored: false, preferring: false };
    const automaton = new Automaton(program, this.#alphabet, this.#words, options);
    this.#plan = { strings, run: runOf(expression, literals?.strings), automaton };
  }

  /** Whether only lines with this text can match. */
  requires(text: string): boolean {
    return this.#strings.length > 0 && this.#strings.every((string) => string.includes(text));
  }

  /** @param from start of the first line */
  linesIn(bytes: Buffer, from: number): LineSearch {
    return new LineSearch(this.#plan, bytes, from);
  }

  /** The first match in a line, as JavaScript would find it; an empty part at the line's start if there is none. */
  *firstMatchIn(bytes: Buffer, line: Line): Generator<undefined, Line> {
    if (this.#alphabet === undefined) return firstString(this.#plan.strings, bytes, line);
    this.#firstMatch ??= new FirstMatch(this.#expression, this.#alphabet, this.#words);
    return yield* this.#firstMatch.find(bytes, line);
  }
}

function firstString(strings: readonly NeedleString[], bytes: Buffer, { start, end }: Line): Line {
  const text = bytes.subarray(start, end);
  let first: Line | undefined;
  for (const { bytes: string } of strings) {
    const at = text.indexOf(string);
    if (at !== -1 && start + at < (first?.start ?? end)) first = { start: start + at, end: start + at + string.length };
  }
  return first ?? { start, end: start };
}
