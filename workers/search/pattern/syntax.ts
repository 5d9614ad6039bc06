/**
 * Reads regular expressions as JavaScript does with the flag `u`, so that characters are whole code points, but accepts
 * what JavaScript accepts only without it: needless backslashes, and brackets that stand for themselves.
 */
import { notSeparator, readClass } from './character-class.js';
import { dot, withCaseVariants, type CharacterSet } from './characters.js';
import { characterEscape, setEscape } from './escapes.js';
import { codeOf, PatternReader } from './pattern-reader.js';
import { invalidPattern, separatorNamed, unsupported } from './refusals.js';

export type Assertion = 'start' | 'end' | 'word' | 'not-word';

export type Expression =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  | Repetition;

export interface Repetition {
  readonly kind: 'repetition';
  readonly part: Expression;
  readonly least: number;
  readonly most: number;
  readonly lazy: boolean;
}

/** @throws OperationError invalid_params */
export function parse(pattern: string, ignoreCase: boolean): Expression {
  return new Parser(pattern, ignoreCase).parse();
}

/** A text as an expression that finds it. @throws OperationError invalid_params for one with a line break */
export function literalExpression(text: string, ignoreCase: boolean): Expression {
  if (/[\n\r]/.test(text)) throw separatorNamed(0);
  return { kind: 'sequence', parts: Array.from(text, (character) => setOf(codeOf(character), ignoreCase)) };
}

function setOf(code: number, ignoreCase: boolean): Expression {
  const set = [code, code];
  return { kind: 'set', set: ignoreCase ? withCaseVariants(set) : set };
}

/** Deeper nesting would exhaust the stack. */
const mostNested = 200;

const quantifierAdvice =
  'Put a character or a group before the quantifier, or a backslash to find the character itself.';
const groupAdvice = 'Close each group, and put a backslash before a parenthesis that is to be found itself.';
const lookaroundAdvice = 'Search without it, and look through the lines that are found.';

class Parser {
  readonly #reader: PatternReader;
  readonly #ignoreCase: boolean;
  /**
   * Names of the groups that can take part in one match so far: two groups may share a name only in different
   * alternatives.
   */
  #names: ReadonlySet<string> = new Set();
  #depth = 0;

  constructor(pattern: string, ignoreCase: boolean) {
    this.#reader = new PatternReader(pattern);
    this.#ignoreCase = ignoreCase;
  }

  parse(): Expression {
    const expression = this.#choice();
    if (this.#reader.at < this.#reader.characters.length)
      throw invalidPattern('unmatched )', this.#reader.place, groupAdvice);
    return expression;
  }

  #choice(): Expression {
    const before = this.#names;
    const options = [this.#sequence()];
    let names = this.#names;
    while (this.#reader.takes('|')) {
      this.#names = before;
      options.push(this.#sequence());
      names = new Set([...names, ...this.#names]);
    }
    this.#names = names;
    const [only] = options;
    return only !== undefined && options.length === 1 ? only : { kind: 'choice', options };
  }

  #sequence(): Expression {
    const parts: Expression[] = [];
    while (this.#reader.next !== '' && this.#reader.next !== '|' && this.#reader.next !== ')') parts.push(this.#term());
    const [only] = parts;
    return only !== undefined && parts.length === 1 ? only : { kind: 'sequence', parts };
  }

  #term(): Expression {
    const place = this.#reader.place;
    const isGroup = this.#reader.next === '(';
    const atom = this.#atom();
    const quantifier = this.#quantifier();
    if (quantifier === undefined) return atom;
    if (atom.kind === 'assertion' && !isGroup)
      throw invalidPattern('quantifier after an assertion', place, quantifierAdvice);
    return { kind: 'repetition', part: atom, ...quantifier };
  }

  #quantifier(): Pick<Repetition, 'least' | 'most' | 'lazy'> | undefined {
    const place = this.#reader.place;
    const range = this.#reader.takes('*')
      ? { least: 0, most: Infinity }
      : this.#reader.takes('+')
        ? { least: 1, most: Infinity }
        : this.#reader.takes('?')
          ? { least: 0, most: 1 }
          : this.#counts();
    if (range === undefined) return undefined;
    if (range.least > range.most) {
      throw invalidPattern('numbers out of order in {}', place, 'Put the smaller number first.');
    }
    return { ...range, lazy: this.#reader.takes('?') };
  }

  /** `{n}`, `{n,}` or `{n,m}`; any other brace stands for itself. */
  #counts(): Pick<Repetition, 'least' | 'most'> | undefined {
    if (this.#reader.next !== '{') return undefined;
    const start = this.#reader.at++;
    const least = this.#digits();
    const comma = this.#reader.takes(',');
    const most = comma ? this.#digits() : least;
    if (least === '' || !this.#reader.takes('}')) {
      this.#reader.at = start;
      return undefined;
    }
    return { least: Number(least), most: most === '' ? Infinity : Number(most) };
  }

  #digits(): string {
    const start = this.#reader.at;
    while (/^[0-9]$/.test(this.#reader.next)) this.#reader.at += 1;
    return this.#reader.characters.slice(start, this.#reader.at).join('');
  }

  #atom(): Expression {
    const place = this.#reader.place;
    if (this.#counts() !== undefined) throw invalidPattern('nothing to repeat', place, quantifierAdvice);
    const character = this.#reader.next;
    this.#reader.at += 1;
    switch (character) {
      case '^':
        return { kind: 'assertion', assertion: 'start' };
      case '$':
        return { kind: 'assertion', assertion: 'end' };
      case '.':
        return { kind: 'set', set: dot };
      case '(':
        return this.#group(place);
      case '[':
        return { kind: 'set', set: readClass(this.#reader, place, this.#ignoreCase) };
      case '\\':
        return this.#escape(place);
      case '*':
      case '+':
      case '?':
        throw invalidPattern('nothing to repeat', place, quantifierAdvice);
      default:
        return setOf(notSeparator(codeOf(character), place), this.#ignoreCase);
    }
  }

  #group(place: number): Expression {
    this.#groupStart(place);
    if (++this.#depth > mostNested) {
      throw invalidPattern('group nested too deeply', place, 'Send fewer groups inside each other.');
    }
    const inside = this.#choice();
    if (!this.#reader.takes(')')) throw invalidPattern('unclosed group', place, groupAdvice);
    this.#depth -= 1;
    return inside;
  }

  /** Skips what follows the parenthesis, `?:` or a name: neither makes a difference to a search. */
  #groupStart(place: number): void {
    if (!this.#reader.takes('?') || this.#reader.takes(':')) return;
    if (this.#reader.takes('=') || this.#reader.takes('!')) throw unsupported('a lookahead', place, lookaroundAdvice);
    if (this.#reader.takes('<=') || this.#reader.takes('<!'))
      throw unsupported('a lookbehind', place, lookaroundAdvice);
    const rest = this.#reader.characters
      .slice(this.#reader.at, this.#reader.characters.indexOf('>', this.#reader.at) + 1)
      .join('');
    if (/^<[\p{ID_Start}$_][\p{ID_Continue}$]*>$/u.test(rest)) {
      if (this.#names.has(rest)) {
        throw invalidPattern('second group of the same name', place, 'Leave out the names, or send different ones.');
      }
      this.#names = new Set([...this.#names, rest]);
      this.#reader.at += Array.from(rest).length;
    } else if (/^[a-z]$/.test(this.#reader.next)) {
      throw invalidPattern('flags', place, 'Send ignore_case: true for (?i); no other flags are known.');
    } else throw invalidPattern('unknown kind of group', place, 'Use (…), (?:…) or (?<name>…).');
  }

  /** @param place of the backslash, which has been read */
  #escape(place: number): Expression {
    if (this.#reader.takes('b')) return { kind: 'assertion', assertion: 'word' };
    if (this.#reader.takes('B')) return { kind: 'assertion', assertion: 'not-word' };
    if (/^[1-9]$/.test(this.#reader.next) || this.#reader.takes('k<')) {
      throw unsupported('a backreference', place, 'Write out what the group would repeat.');
    }
    const set = setEscape(this.#reader, place, this.#ignoreCase);
    if (set !== undefined) return { kind: 'set', set };
    return setOf(notSeparator(characterEscape(this.#reader, place), place), this.#ignoreCase);
  }
}
