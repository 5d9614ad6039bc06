/**
 * Strings of which a match must contain one. Lines without them need not be looked at, and finding a string is many
 * times faster than running an automaton.
 */
import type { CharacterSet } from './characters.js';
import type { Expression } from './syntax.js';

export interface Literals {
  /** No string is empty. Without any strings, nothing can match. */
  readonly strings: readonly string[];
  /** Whether each of their occurrences is a match. */
  readonly whole: boolean;
}

/** Limit on strings: each takes a separate search. */
const mostStrings = 16;
/** Limit on characters of a set, such as a letter with its case variants. */
const mostCharacters = 4;
/** Longer strings are hardly rarer. */
const mostRun = 64;
/** Only the beginning of a long string is examined. */
const mostExamined = 1_000;

/** @returns the strings that are probably fastest to find; undefined if there are none, or they are slower */
export function literalsOf(expression: Expression): Literals | undefined {
  const whole = isPlain(expression) ? languageOf(expression) : undefined;
  if (whole !== undefined && isUseful(whole)) return { strings: possible(whole), whole: true };
  const strings = requiredBy(expression);
  return strings === undefined || !isUseful(strings) ? undefined : { strings: possible(strings), whole: false };
}

/** Only strings that can occur: no line contains a separator, and no UTF-8 text half a surrogate pair. */
function possible(strings: readonly string[]): readonly string[] {
  return [...new Set(strings)].filter((string) => !/[\n\r\p{Surrogate}]/u.test(string));
}

function isUseful(strings: readonly string[]): boolean {
  return costOf(strings) < costOfAutomaton;
}

/** Whether it consists of characters alone. */
function isPlain(expression: Expression): boolean {
  if (expression.kind === 'sequence') return expression.parts.every(isPlain);
  return expression.kind === 'choice' ? expression.options.every(isPlain) : expression.kind === 'set';
}

/** All strings that an expression matches, ignoring assertions; undefined if there are many. */
function languageOf(expression: Expression): Language {
  switch (expression.kind) {
    case 'set':
      return charactersOf(expression.set);
    case 'assertion':
      return [''];
    case 'sequence':
      return productOf(expression.parts.map(languageOf));
    case 'choice':
      return allOf(expression.options.map(languageOf));
    case 'repetition': {
      const { part, least, most } = expression;
      const language = most > mostStrings ? undefined : languageOf(part);
      if (language === undefined) return undefined;
      const counts = Array.from({ length: most - least + 1 }, (_, more) => least + more);
      return allOf(counts.map((count) => productOf(Array<typeof language>(count).fill(language))));
    }
  }
}

type Language = readonly string[] | undefined;

function productOf(languages: readonly Language[]): Language {
  let product: Language = [''];
  for (const language of languages) {
    product = joined(product, language);
    if (product === undefined) return undefined;
  }
  return product;
}

function joined(heads: readonly string[], tails: Language): Language {
  if (tails === undefined || heads.length * tails.length > mostStrings) return undefined;
  return heads.flatMap((head) => tails.map((tail) => head + tail));
}

function allOf(languages: readonly Language[]): Language {
  const all: string[] = [];
  for (const language of languages) {
    if (language === undefined || all.length + language.length > mostStrings) return undefined;
    all.push(...language);
  }
  return all;
}

export function charactersOf(set: CharacterSet): Language {
  const characters: string[] = [];
  for (let index = 0; index < set.length; index += 2) {
    for (let code = set[index] ?? 0; code <= (set[index + 1] ?? 0); code++) {
      if (characters.length === mostCharacters) return undefined;
      characters.push(String.fromCodePoint(code));
    }
  }
  return characters;
}

/** Strings of which each match contains one. */
function requiredBy(expression: Expression): Language {
  switch (expression.kind) {
    case 'set':
      return charactersOf(expression.set);
    case 'assertion':
      return undefined;
    case 'sequence':
      return cheapest([...runsOf(expression.parts), ...expression.parts.map(requiredBy)]);
    case 'choice':
      return allOf(expression.options.map((option) => cheapest([languageOf(option), requiredBy(option)])));
    case 'repetition':
      return expression.least === 0 ? undefined : requiredBy(expression.part);
  }
}

/** The strings that adjacent parts match together: from each part on, as long as they are few and short. */
function* runsOf(parts: readonly Expression[]): Generator<Language> {
  const languages = parts.map(languageOf);
  let reached = 0;
  for (let start = 0; start < parts.length; start++) {
    let run: readonly string[] = [''];
    let end = start;
    for (; end < parts.length && (run[0]?.length ?? 0) < mostRun; end++) {
      const longer = joined(run, languages[end]);
      if (longer === undefined) break;
      run = longer;
    }
    // A run that ends where the previous one does is only its tail.
    if (end > reached) yield run;
    reached = end;
  }
}

function cheapest(candidates: readonly Language[]): Language {
  let best: readonly string[] | undefined;
  let least = Infinity;
  for (const strings of candidates) {
    const cost = strings === undefined ? Infinity : costOf(strings);
    if (cost < least) [best, least] = [strings, cost];
  }
  return best;
}

/** Nanoseconds per byte of a text. */
export const costOfAutomaton = 2.5;
/** Nanoseconds per byte passed over, per first byte found, and per string. */
const cost = { byte: 0.05, firstByte: 14, string: 200 } as const;

export function costOf(strings: readonly string[]): number {
  if (strings.length === 0 || strings.includes('')) return Infinity;
  return strings.reduce((sum, string) => {
    const shares = Array.from(Buffer.from(string.slice(0, mostExamined)), shareOf);
    const together = shares.reduce((product, share) => product * share, 1);
    return sum + cost.byte + cost.firstByte * Math.min(...shares) + cost.string * together;
  }, 0);
}

/** Up to this many bytes are searched for by their first one. */
const probeSize = 7;
/** Shorter ones are found too often, however rare their first byte is. */
const leastProbe = 3;

export interface Probe {
  readonly bytes: Buffer;
  /** Where they are in the string. */
  readonly at: number;
}

/** The part of a string that is fastest to find: from its rarest byte on. */
export function probeOf(string: Buffer): Probe {
  const last = Math.min(string.length, mostExamined) - leastProbe;
  let at = 0;
  for (let index = 1; index <= last; index++) {
    if (shareOf(string[index] ?? 0) < shareOf(string[at] ?? 0)) at = index;
  }
  return { bytes: string.subarray(at, at + probeSize), at };
}

/** The bytes of 10 MB of source text, most frequent first. */
const common = Buffer.from(
  ' etnroasi\t\nlcdpu-mfgh*.y(),/=;_b":Tv{}xSk`wEC\'0NP1AI2DOF&R|L[]M@jB34+6?>8!5U$79qKVWJH<zG\\Q^XY#Z%~',
);
const ranks = new Map([...common].map((byte, rank) => [byte, rank]));
/** Share of a byte that is not among them. */
const rareShare = 0.0005;

/** The share of a byte among all, roughly. */
export function shareOf(byte: number): number {
  const rank = ranks.get(byte);
  return rank === undefined ? rareShare : Math.max(rareShare, 0.06 * Math.exp(-rank / 18));
}
