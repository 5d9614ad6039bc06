/** Globs of file names (spec 13). */
import { OperationError } from '../errors.js';
import { foreignSyntax } from './dialects.js';
import { parsePattern, PathPattern, type PatternFault } from './wildcards.js';

/** Limit of a pattern, the same as of a path. */
const mostBytes = 4096;
/** Limit on the patterns that one pattern with braces may stand for. */
const mostAlternatives = 1000;
/**
 * Limit on the characters of all those patterns: a name of 255 characters takes up to 255 steps for each, 50 ms in all.
 */
const mostExpanded = 32_768;

/** A pattern for the paths of files below a directory. */
export class Glob {
  private constructor(
    private readonly patterns: readonly PathPattern[],
    private readonly excludes: boolean,
  ) {}

  /**
   * @param parameter name of the parameter that holds the pattern
   * @param hidden see `of`
   * @throws OperationError invalid_params
   */
  static parse(parameter: string, text: string, hidden: boolean): Glob {
    try {
      return Glob.of(text, hidden);
    } catch (error) {
      throw error instanceof GlobFault ? error.in(parameter) : error;
    }
  }

  /** @param hidden whether wildcards stand for names that begin with a dot, too @throws GlobFault */
  static of(text: string, hidden = true): Glob {
    if (Buffer.byteLength(text) > mostBytes) throw new GlobFault(`is longer than ${String(mostBytes)} bytes`, shorten);
    const excludes = text.startsWith('!');
    const wanted = excludes ? text.slice(1) : text;
    if (wanted === '') throw new GlobFault('names nothing', 'Send **/* for all files.');
    const foreign = foreignSyntax(text);
    if (foreign !== undefined) throw new GlobFault(...foreign);
    return new Glob(patternsOf(wanted, hidden), excludes);
  }

  /** Whether a path with a name that begins with a dot can match. */
  get namesHidden(): boolean {
    return this.patterns.some(({ namesHidden }) => namesHidden);
  }

  /** The test for the names of files in a directory. @param directory its names from the directory that is searched */
  namesIn(directory: readonly string[]): (name: string) => boolean {
    const here = this.patterns.filter((pattern) => pattern.holds(directory));
    return (name) => here.some((pattern) => pattern.names(name)) !== this.excludes;
  }

  /** Whether a file in this directory, or below it, can match. */
  reaches(directory: readonly string[]): boolean {
    return this.excludes ? !this.someCovers(directory) : this.someReaches(directory);
  }

  /** Whether one of the patterns alone matches every file in this directory and below it. */
  covers(directory: readonly string[]): boolean {
    return this.excludes ? !this.someReaches(directory) : this.someCovers(directory);
  }

  private someReaches(directory: readonly string[]): boolean {
    return this.patterns.some((pattern) => pattern.reaches(directory));
  }

  private someCovers(directory: readonly string[]): boolean {
    return this.patterns.some((pattern) => pattern.covers(directory));
  }
}

/** What is wrong with a pattern, in words that follow its name. */
export class GlobFault extends Error {
  /** @param advice a sentence that says what to send instead */
  constructor(
    problem: string,
    readonly advice: string,
  ) {
    super(problem);
  }

  /** The refusal of the parameter that holds the pattern. */
  in(parameter: string): OperationError {
    return new OperationError('invalid_params', `Invalid params: /${parameter} ${this.message}`, {
      details: this.advice,
    });
  }
}

const shorten = 'Send a shorter pattern, or several calls with one pattern each.';

function patternsOf(text: string, hidden: boolean): PathPattern[] {
  // Braces around the whole pattern hold separate patterns: {*.md,docs/**} finds *.md at any depth.
  const separate = alternativesIn(text);
  const whole = separate?.before === '' && separate.after === '' ? separate.alternatives : [text];
  const patterns: PathPattern[] = [];
  let characters = 0;
  for (const each of whole) {
    const anyDepth = !each.includes('/');
    for (const alternative of expanded(each)) {
      characters += alternative.length;
      if (characters > mostExpanded) throw new GlobFault('stands for patterns that are too long together', shorten);
      patterns.push(patternOf(alternative, anyDepth, hidden));
    }
    if (patterns.length > mostAlternatives) throw tooManyAlternatives();
  }
  return patterns;
}

function patternOf(text: string, anyDepth: boolean, hidden: boolean): PathPattern {
  if (text.startsWith('/')) {
    const rest = text.replace(/^\/+/, '');
    const hint = `A pattern is relative to path. If this is meant so, send ${rest}, or ./${rest}`;
    throw new GlobFault('begins with a slash', `${hint} for the top directory only.`);
  }
  if (text.endsWith('/')) {
    throw new GlobFault('ends with a slash', 'Only files are found. Add ** for all files below that directory.');
  }
  // Redundant, but often written.
  const names = text.split('/').filter((name) => name !== '.' && name !== '');
  if (names.includes('..')) {
    throw new GlobFault('leads upwards with ..', 'Send the directory to search as path, and the rest as the pattern.');
  }
  const segments = parsePattern(names.join('/'), { backwards: false });
  if (typeof segments === 'string') throw new GlobFault(...faults[segments]);
  return PathPattern.of(segments, anyDepth, hidden);
}

const faults: Readonly<Record<PatternFault, readonly [problem: string, advice: string]>> = {
  'open set': ['has a [ without its ]', 'Close the set of characters, or send \\[ for the character itself.'],
  'unknown class': ['has an unknown class of characters', 'Send the characters themselves, such as [a-z].'],
  'backwards range': ['has a range that runs backwards', 'Send its ends in order, such as [a-z].'],
  'lone backslash': ['ends with a backslash', 'Put / between names, or send \\\\ for the character itself.'],
};

function tooManyAlternatives(): GlobFault {
  return new GlobFault(`stands for more than ${String(mostAlternatives)} patterns`, shorten);
}

/** A pattern around its first braces. */
interface Braces {
  readonly before: string;
  readonly alternatives: readonly string[];
  readonly after: string;
}

/** The patterns that a pattern with braces stands for. */
function expanded(text: string): string[] {
  const braces = alternativesIn(text);
  if (braces === undefined) return [text];
  const { before, alternatives, after } = braces;
  const ends = expanded(after);
  const patterns: string[] = [];
  for (const start of alternatives.flatMap(expanded)) {
    for (const end of ends) patterns.push(before + start + end);
    if (patterns.length > mostAlternatives) throw tooManyAlternatives();
  }
  return patterns;
}

/** The first braces. Empty braces are plain characters, and so is {{…}}, which templates have in file names. */
function alternativesIn(text: string): Braces | undefined {
  let depth = 0;
  let open = 0;
  let commas: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === '[') at = endOfSet(text, at);
    else if (character === '{') {
      if (depth++ === 0) [open, commas] = [at, []];
    } else if (character === ',' && depth === 1) commas.push(at);
    else if (character === '}' && depth > 0 && --depth === 0) {
      if (commas.length > 0 || !/^\{?$/.test(text.slice(open + 1, Math.min(open + 2, at)))) {
        const cuts = [open, ...commas, at];
        const alternatives = cuts.slice(1).map((cut, index) => text.slice((cuts[index] ?? 0) + 1, cut));
        return { before: text.slice(0, open), alternatives, after: text.slice(at + 1) };
      }
    }
  }
  if (depth > 0)
    throw new GlobFault('has a { without its }', 'Close the braces, or send \\{ for the character itself.');
  return undefined;
}

/** The index of the `]` that ends a set, or of its `[` if none does. */
function endOfSet(text: string, start: number): number {
  const first = /[!^]/.test(text[start + 1] ?? '') ? start + 2 : start + 1;
  for (let at = first; at < text.length; at++) {
    if (text[at] === '\\') at++;
    // A `]` at the start belongs to the set.
    else if (text[at] === ']' && at > first) return at;
  }
  return start;
}

/** The pattern with `/` for each `\` between names, as on Windows; undefined if it has none. */
export function withSlashes(text: string): string | undefined {
  const slashed = text.replaceAll(/(?<=[^\\/])\\+(?=[^\\/])/g, '/');
  return slashed === text ? undefined : slashed;
}
