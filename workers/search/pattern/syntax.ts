/**
 * Reads regular expressions as JavaScript does with the flag `u`, so that characters are whole code points, but
 * forgives what JavaScript forgives without it: needless backslashes, and brackets that stand for themselves.
 */
import {
  complement,
  digits,
  dot,
  noCharacters,
  propertySet,
  union,
  whiteSpace,
  withCaseVariants,
  wordCharacters,
  type CharacterSet,
} from './characters.js';
import { CR, LF } from '../../text/separators.js';
import { readPosixClass } from './posix-class.js';
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

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Deeper ones would exhaust the stack. */
const mostNested = 200;

const controlEscapes: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

const quantifierAdvice =
  'Put a character or a group before the quantifier, or a backslash to find the character itself.';
const groupAdvice = 'Close each group, and put a backslash before a parenthesis that is to be found itself.';
const lookaroundAdvice = 'Search without it, and look through the lines that are found.';

class Parser {
  readonly #characters: readonly string[];
  readonly #ignoreCase: boolean;
  /** Of the groups that can take part in one match so far: only in different alternatives may two share a name. */
  #names: ReadonlySet<string> = new Set();
  #at = 0;
  #depth = 0;

  constructor(pattern: string, ignoreCase: boolean) {
    this.#characters = Array.from(pattern);
    this.#ignoreCase = ignoreCase;
  }

  parse(): Expression {
    const expression = this.#choice();
    if (this.#at < this.#characters.length) throw invalidPattern('unmatched )', this.#place, groupAdvice);
    return expression;
  }

  /** Of the next character, counted from 1. */
  get #place(): number {
    return this.#at + 1;
  }

  get #next(): string {
    return this.#characters[this.#at] ?? '';
  }

  /** @returns whether this text followed; if so, it has been read */
  #takes(text: string): boolean {
    for (let index = 0; index < text.length; index++) {
      if (this.#characters[this.#at + index] !== text[index]) return false;
    }
    this.#at += text.length;
    return true;
  }

  #choice(): Expression {
    const before = this.#names;
    const options = [this.#sequence()];
    let names = this.#names;
    while (this.#takes('|')) {
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
    while (this.#next !== '' && this.#next !== '|' && this.#next !== ')') parts.push(this.#term());
    const [only] = parts;
    return only !== undefined && parts.length === 1 ? only : { kind: 'sequence', parts };
  }

  #term(): Expression {
    const place = this.#place;
    const isGroup = this.#next === '(';
    const atom = this.#atom();
    const quantifier = this.#quantifier();
    if (quantifier === undefined) return atom;
    if (atom.kind === 'assertion' && !isGroup)
      throw invalidPattern('quantifier after an assertion', place, quantifierAdvice);
    return { kind: 'repetition', part: atom, ...quantifier };
  }

  #quantifier(): Pick<Repetition, 'least' | 'most' | 'lazy'> | undefined {
    const place = this.#place;
    const range = this.#takes('*')
      ? { least: 0, most: Infinity }
      : this.#takes('+')
        ? { least: 1, most: Infinity }
        : this.#takes('?')
          ? { least: 0, most: 1 }
          : this.#counts();
    if (range === undefined) return undefined;
    if (range.least > range.most) {
      throw invalidPattern('numbers out of order in {}', place, 'Put the smaller number first.');
    }
    return { ...range, lazy: this.#takes('?') };
  }

  /** `{n}`, `{n,}` or `{n,m}`; any other brace stands for itself. */
  #counts(): Pick<Repetition, 'least' | 'most'> | undefined {
    if (this.#next !== '{') return undefined;
    const start = this.#at++;
    const least = this.#digits();
    const comma = this.#takes(',');
    const most = comma ? this.#digits() : least;
    if (least === '' || !this.#takes('}')) {
      this.#at = start;
      return undefined;
    }
    return { least: Number(least), most: most === '' ? Infinity : Number(most) };
  }

  #digits(): string {
    const start = this.#at;
    while (/^[0-9]$/.test(this.#next)) this.#at += 1;
    return this.#characters.slice(start, this.#at).join('');
  }

  #atom(): Expression {
    const place = this.#place;
    if (this.#counts() !== undefined) throw invalidPattern('nothing to repeat', place, quantifierAdvice);
    const character = this.#next;
    this.#at += 1;
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
        return { kind: 'set', set: this.#class(place) };
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
    if (!this.#takes(')')) throw invalidPattern('unclosed group', place, groupAdvice);
    this.#depth -= 1;
    return inside;
  }

  /** What follows the parenthesis: `?:` or a name, which both make no difference to a search. */
  #groupStart(place: number): void {
    if (!this.#takes('?') || this.#takes(':')) return;
    if (this.#takes('=') || this.#takes('!')) throw unsupported('a lookahead', place, lookaroundAdvice);
    if (this.#takes('<=') || this.#takes('<!')) throw unsupported('a lookbehind', place, lookaroundAdvice);
    const rest = this.#characters.slice(this.#at, this.#characters.indexOf('>', this.#at) + 1).join('');
    if (/^<[\p{ID_Start}$_][\p{ID_Continue}$]*>$/u.test(rest)) {
      if (this.#names.has(rest)) {
        throw invalidPattern('second group of the same name', place, 'Leave out the names, or send different ones.');
      }
      this.#names = new Set([...this.#names, rest]);
      this.#at += Array.from(rest).length;
    } else if (/^[a-z]$/.test(this.#next)) {
      throw invalidPattern('flags', place, 'Send ignore_case: true for (?i); no other flags are known.');
    } else throw invalidPattern('unknown kind of group', place, 'Use (…), (?:…) or (?<name>…).');
  }

  #class(place: number): CharacterSet {
    const negated = this.#takes('^');
    const sets: CharacterSet[] = [];
    while (!this.#takes(']')) {
      if (this.#next === '') {
        throw invalidPattern(
          'unclosed [',
          place,
          'Close the class with ], or put a backslash before a [ that is to be found itself.',
        );
      }
      sets.push(this.#classPart(negated));
    }
    const set = sets.length === 0 ? noCharacters : union(sets);
    return negated ? complement(set) : set;
  }

  /** A character, an escape or a range. */
  #classPart(negated: boolean): CharacterSet {
    const place = this.#place;
    const named = readPosixClass(this.#characters, this.#at);
    if (named !== undefined) {
      this.#at = named.end;
      return this.#ignoreCase ? withCaseVariants(named.set) : named.set;
    }
    const first = this.#classAtom();
    if (this.#next !== '-' || this.#characters[this.#at + 1] === ']') {
      return this.#closed(negated || typeof first !== 'number' ? first : notSeparator(first, place));
    }
    const hyphen = this.#at++;
    if (this.#at === this.#characters.length) return this.#closed(first);
    const last = this.#classAtom();
    if (typeof first !== 'number' || typeof last !== 'number') {
      // A hyphen beside an escape such as \w stands for itself.
      this.#at = hyphen + 1;
      return union([this.#closed(first), this.#closed(codeOf('-'))]);
    }
    if (first > last) throw invalidPattern('range out of order', place, 'Put the smaller character first.');
    return this.#ignoreCase ? withCaseVariants([first, last]) : [first, last];
  }

  #closed(atom: number | CharacterSet): CharacterSet {
    if (typeof atom !== 'number') return atom;
    return this.#ignoreCase ? withCaseVariants([atom, atom]) : [atom, atom];
  }

  #classAtom(): number | CharacterSet {
    const place = this.#place;
    const character = this.#next;
    this.#at += 1;
    if (character !== '\\') return codeOf(character);
    if (this.#takes('b')) return 8;
    if (/^[1-9]$/.test(this.#next)) throw octal(place);
    return this.#setEscape(place) ?? this.#characterEscape(place);
  }

  /** @param place of the backslash, which has been read */
  #escape(place: number): Expression {
    if (this.#takes('b')) return { kind: 'assertion', assertion: 'word' };
    if (this.#takes('B')) return { kind: 'assertion', assertion: 'not-word' };
    if (/^[1-9]$/.test(this.#next) || this.#takes('k<')) {
      throw unsupported('a backreference', place, 'Write out what the group would repeat.');
    }
    const set = this.#setEscape(place);
    if (set !== undefined) return { kind: 'set', set };
    return setOf(notSeparator(this.#characterEscape(place), place), this.#ignoreCase);
  }

  #setEscape(place: number): CharacterSet | undefined {
    const letter = this.#next;
    const set = this.#namedSet(letter.toLowerCase());
    if (set !== undefined) {
      this.#at += 1;
      return letter === letter.toLowerCase() ? set : complement(set);
    }
    return letter === 'p' || letter === 'P' ? this.#property(place) : undefined;
  }

  #namedSet(letter: string): CharacterSet | undefined {
    if (letter === 'd') return digits;
    if (letter === 's') return whiteSpace;
    return letter === 'w' ? wordSet(this.#ignoreCase) : undefined;
  }

  #property(place: number): CharacterSet | undefined {
    const end = this.#characters.indexOf('}', this.#at);
    if (this.#characters[this.#at + 1] !== '{' || end === -1) return undefined;
    const escape = `\\${this.#characters.slice(this.#at, end + 1).join('')}`;
    const set = /^\\[pP]\{[\w=]+\}$/.test(escape) ? propertySet(escape, this.#ignoreCase) : undefined;
    if (set === undefined) {
      throw invalidPattern(
        'unknown Unicode property',
        place,
        'Use one that JavaScript knows, such as \\p{L}, \\p{Lu} or \\p{Script=Greek}.',
      );
    }
    this.#at = end + 1;
    return set;
  }

  /** @returns the code point that the escape stands for: the character itself if its backslash was needless */
  #characterEscape(place: number): number {
    const letter = this.#next;
    if (letter === '') {
      throw invalidPattern('backslash without a character', place, 'Send two backslashes to find one.');
    }
    this.#at += 1;
    const control = controlEscapes[letter];
    if (control !== undefined) return control;
    if (letter === '0') {
      if (/^[0-9]$/.test(this.#next)) throw octal(place);
      return 0;
    }
    if (letter === 'c' && /^[A-Za-z]$/.test(this.#next)) return codeOf(this.#characters[this.#at++] ?? '') % 32;
    if (letter === 'x') return this.#hex(2) ?? codeOf(letter);
    if (letter === 'u') return this.#unicode() ?? codeOf(letter);
    return codeOf(letter);
  }

  #unicode(): number | undefined {
    const start = this.#at;
    if (this.#takes('{')) {
      const end = this.#characters.indexOf('}', this.#at);
      const code = end === -1 ? undefined : this.#hex(end - this.#at);
      if (code !== undefined && code <= 0x10ffff && this.#takes('}')) return code;
      this.#at = start;
      return undefined;
    }
    const high = this.#hex(4);
    if (high === undefined || high < 0xd800 || high > 0xdbff) return high;
    // The two halves of a character beyond the first plane.
    const behindHigh = this.#at;
    const low = this.#takes('\\u') ? this.#hex(4) : undefined;
    if (low !== undefined && low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    this.#at = behindHigh;
    return high;
  }

  #hex(length: number): number | undefined {
    const text = this.#characters.slice(this.#at, this.#at + length).join('');
    if (text.length !== length || !/^[0-9A-Fa-f]+$/.test(text)) return undefined;
    this.#at += length;
    return parseInt(text, 16);
  }
}

/** What `\w` stands for, and what `\b` looks for. */
export function wordSet(ignoreCase: boolean): CharacterSet {
  return ignoreCase ? withCaseVariants(wordCharacters) : wordCharacters;
}

/** A character that a line may have. @throws OperationError invalid_params for any other */
function notSeparator(code: number, place: number): number {
  if (code === LF || code === CR) throw separatorNamed(place);
  return code;
}

function octal(place: number): Error {
  return invalidPattern('octal escape', place, 'Write the character as \\xHH or \\u{H}.');
}
