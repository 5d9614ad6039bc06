/**
 * Wildcards as git defines them (wildmatch.c): `*`, `?`, `[a-z]`, and `**` for any number of directories. Shared by
 * globs and `.gitignore` files.
 *
 * Matching takes at most (length of the pattern × length of the name) steps, since only the last `*` is ever retried.
 * Regular expressions made from such patterns backtrack: picomatch 4.0.7 takes 23 s for `*a*a*a*a*b` against 200
 * letters `a`, and ignore 7.0.16 takes 34 s for a globstar and `/a/`, repeated four times, against 200 directories `a`.
 */

import { posixClasses, type Range } from './posix-classes.js';

/** Any number of items, including none: characters in a name, or names in a path. */
const many = Symbol('many');

/** A set of characters. */
interface CharacterSet {
  has(character: string): boolean;
}

/** A character, one of a set, or many. */
type Token = string | CharacterSet | typeof many;

/** The parts of a pattern between slashes: characters of a name, or many names. */
type Segments = readonly (readonly Token[] | typeof many)[];

/** A test for one name. */
export interface NamePattern {
  /** Whether it begins with a literal dot, which allows it to match hidden names. */
  readonly dotted?: boolean;
  matches(name: string): boolean;
}

type Part = NamePattern | typeof many;

/** Why a pattern can match nothing. */
export type PatternFault = 'open set' | 'unknown class' | 'backwards range' | 'lone backslash';

/** Whether a range such as `[z-a]` is allowed; it stands for its first character. */
interface Leniency {
  readonly backwards: boolean;
}

/** A pattern for paths. */
export class PathPattern {
  private constructor(
    private readonly directories: readonly Part[],
    /** Decides about names in a directory that `holds` accepts, hidden ones included. */
    readonly last: NamePattern,
    private readonly hidden: boolean,
  ) {}

  /**
   * @param segments the pattern's text between slashes
   * @param anyDepth whether it may match below any directory
   * @param hidden whether wildcards stand for hidden names too, as for git; to shells, a dot must be written
   */
  static of(segments: Segments, anyDepth: boolean, hidden = true): PathPattern {
    const parts: Part[] = segments.map((segment) => (segment === many ? segment : namePattern(segment)));
    const last = parts.pop() ?? namePattern([]);
    const directories: Part[] = anyDepth ? [many, ...parts] : parts;
    // At the end it stands for at least one name.
    if (last === many) directories.push(many);
    return new PathPattern(directories, last === many ? anyName : last, hidden);
  }

  /** Whether it can match a path with a hidden name. */
  get namesHidden(): boolean {
    return this.hidden || [...this.directories, this.last].some((part) => part !== many && part.dotted === true);
  }

  /** Whether names in this directory can match. @param directory its names from the directory of the pattern */
  holds(directory: readonly string[]): boolean {
    return this.leadsTo(directory, this.directories.length);
  }

  /** Whether it matches a name in a directory that `holds` accepts. */
  names(name: string): boolean {
    return this.accepts(this.last, name);
  }

  /** Whether something in this directory, or below it, can match. */
  reaches(directory: readonly string[]): boolean {
    for (const [index, name] of directory.entries()) {
      const part = this.directories[index];
      if (part === many) return this.someLeadTo(directory);
      if (part === undefined || !this.accepts(part, name)) return false;
    }
    return true;
  }

  /** Whether everything in this directory, and below it, matches. */
  covers(directory: readonly string[]): boolean {
    return this.last === anyName && this.directories.at(-1) === many && this.holds(directory);
  }

  private accepts(part: NamePattern, name: string): boolean {
    return (part.dotted === true || this.mayStandFor(name)) && part.matches(name);
  }

  /** Whether a wildcard may stand for the name. */
  private mayStandFor(name: string): boolean {
    return this.hidden || !name.startsWith('.');
  }

  /** Whether some number of the first parts matches the names of a directory. */
  private someLeadTo(directory: readonly string[]): boolean {
    if (directory.every((name) => this.mayStandFor(name))) return true;
    return this.directories.some((_, index) => this.leadsTo(directory, index + 1));
  }

  /** Whether the first parts match the names of a directory. */
  private leadsTo(directory: readonly string[], parts: number): boolean {
    return matchesAll(
      this.directories.slice(0, parts),
      directory,
      (part, name) => this.accepts(part, name),
      (name) => this.mayStandFor(name),
    );
  }
}

const anyName: NamePattern = { matches: () => true };

/**
 * Read a pattern.
 * @returns a fault if it can match nothing
 */
export function parsePattern(text: string, leniency: Leniency): Segments | PatternFault {
  const characters = Array.from(text);
  const segments: (readonly Token[] | typeof many)[] = [];
  let tokens: Token[] = [];
  const endSegment = (isEscaped = false): void => {
    const isMany = tokens.length > 1 && tokens.every((token) => token === many);
    segments.push(isMany ? many : tokens);
    // To git, ** before an escaped slash stands for at least one directory.
    if (isMany && isEscaped) segments.push([many]);
    tokens = [];
  };
  for (let at = 0; at < characters.length; at++) {
    let character = characters[at] ?? '';
    if (character === '[') {
      const read = readSet(characters, at + 1, leniency);
      if (typeof read === 'string') return read;
      tokens.push(read.set);
      at = read.end;
      continue;
    }
    if (character === '*') tokens.push(many);
    else if (character === '?') tokens.push(anyCharacter);
    else {
      const isEscaped = character === '\\';
      if (isEscaped) {
        const escaped = characters[++at];
        if (escaped === undefined) return 'lone backslash';
        character = escaped;
      }
      if (character === '/') endSegment(isEscaped);
      else tokens.push(character);
    }
  }
  endSegment();
  return segments;
}

const anyCharacter: CharacterSet = { has: () => true };

/**
 * Read a set of characters, such as `[a-z]`, `[!a-z]` or `[[:digit:]]`. A `]` at its start belongs to it.
 * @param start index behind its `[`
 * @returns the set and the index of its `]`
 */
function readSet(
  characters: readonly string[],
  start: number,
  { backwards }: Leniency,
): { set: CharacterSet; end: number } | PatternFault {
  let at = start;
  const isNegated = characters[at] === '!' || characters[at] === '^';
  if (isNegated) at++;
  const ranges: Range[] = [];
  // Where a range may begin: not after another range or a class.
  let from: string | undefined;
  const first = at;
  for (; at === first || characters[at] !== ']'; at++) {
    const character = characters[at];
    const next = characters[at + 1];
    if (character === undefined) return 'open set';
    if (character === '-' && from !== undefined && next !== undefined && next !== ']') {
      at += next === '\\' ? 2 : 1;
      const to = characters[at];
      if (to === undefined) return 'open set';
      if (!backwards && codeOf(from) > codeOf(to)) return 'backwards range';
      ranges.push([from, to]);
      from = undefined;
      continue;
    }
    if (character === '[' && next === ':') {
      const end = characters.indexOf(']', at + 2);
      if (end < 0) return 'open set';
      const name = characters.slice(at + 2, end).join('');
      if (name.endsWith(':')) {
        const known = posixClasses.get(name.slice(0, -1));
        if (known === undefined) return 'unknown class';
        ranges.push(...known);
        from = undefined;
        at = end;
        continue;
      }
    }
    from = character === '\\' ? characters[++at] : character;
    if (from === undefined) return 'open set';
    ranges.push([from, from]);
  }
  return { set: characterSet(ranges, isNegated), end: at };
}

function characterSet(ranges: readonly Range[], isNegated: boolean): CharacterSet {
  const numbers = ranges.map(([from, to]) => [codeOf(from), codeOf(to)] as const);
  return {
    has: (character) => {
      const code = codeOf(character);
      return numbers.some(([from, to]) => code >= from && code <= to) !== isNegated;
    },
  };
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** The test for a segment; most need no search. */
function namePattern(tokens: readonly Token[]): NamePattern {
  const isLiteral = (among: readonly Token[]): among is readonly string[] =>
    among.every((token) => typeof token === 'string');
  const [first, ...rest] = tokens;
  const dotted = first === '.';
  if (tokens.length > 0 && tokens.every((token) => token === many)) return anyName;
  if (isLiteral(tokens)) {
    const text = tokens.join('');
    return { dotted, matches: (name) => name === text };
  }
  if (first === many && isLiteral(rest)) {
    const end = rest.join('');
    return { matches: (name) => name.endsWith(end) };
  }
  return { dotted, matches: (name) => matchesAll(tokens, charactersOf(name), hasCharacter) };
}

function hasCharacter(token: string | CharacterSet, character: string): boolean {
  return typeof token === 'string' ? token === character : token.has(character);
}

/** Only a name with surrogate pairs has to be split. */
function charactersOf(name: string): ArrayLike<string> {
  return /[\ud800-\udfff]/.test(name) ? Array.from(name) : name;
}

/**
 * Whether the pattern matches all items. Only the last `many` is retried: an earlier one that takes more gains nothing.
 * This also holds if `many` may not stand for some items, provided that each of these needs a part that takes no
 * others.
 * @param mayStandFor whether `many` may stand for an item
 */
function matchesAll<Single, Item>(
  pattern: readonly (Single | typeof many)[],
  items: ArrayLike<Item>,
  accepts: (one: Single, item: Item) => boolean,
  mayStandFor: (item: Item) => boolean = () => true,
): boolean {
  let at = 0;
  let next = 0;
  let retry: { next: number; at: number } | undefined;
  while (at < items.length) {
    const one = pattern[next];
    const item = items[at];
    if (one === many) {
      next++;
      retry = { next, at };
    } else if (next < pattern.length && one !== undefined && item !== undefined && accepts(one, item)) {
      next++;
      at++;
    } else {
      const taken = retry === undefined ? undefined : items[retry.at];
      if (retry === undefined || taken === undefined || !mayStandFor(taken)) return false;
      retry.at++;
      ({ next, at } = retry);
    }
  }
  while (pattern[next] === many) next++;
  return next === pattern.length;
}
