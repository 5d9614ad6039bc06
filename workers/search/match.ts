import { isUtf8 } from 'node:buffer';
import { separatorsBetween } from '../text/find/line-numbers.js';
import { separatorBefore } from '../text/lines/separator-ends.js';
import { bomLength } from '../text/separators.js';
import { cutLine, isLong } from './cut-line.js';
import type { Pattern } from './pattern.js';
import { behindLine, endOfLine, startOfLine, type Line } from './pattern/line-search.js';

/** Which of a text's matching lines are wanted. */
export interface Page {
  /** Number of the last line that an earlier page has shown; 0: none. */
  readonly after: number;
  /** 0: they are only counted. */
  readonly limit: number;
  /** Lines wanted before and after each. */
  readonly context: number;
  /** Room in characters; matches after the first one that exceeds it are only counted. */
  readonly characters: number;
}

export interface MatchingLine {
  readonly line: number;
  readonly text: string;
  /** Absent unless context is wanted. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

export interface TextMatches {
  /** Matching lines in the whole text. */
  readonly count: number;
  readonly matches: readonly MatchingLine[];
  /** Matching lines after those of the page. */
  readonly left: number;
}

/**
 * The lines of a text that match (spec 13), in steps of about a millisecond. A text without a candidate costs one
 * search for each string of the pattern; lines are numbered only as far as they are on the page.
 */
export function* matchText(bytes: Buffer, pattern: Pattern, page: Page): Generator<undefined, TextMatches | 'binary'> {
  if (!isUtf8(bytes)) return 'binary';
  const begin = bomLength(bytes);
  const search = pattern.linesIn(bytes, begin);
  const matching: (Line & { readonly number: number })[] = [];
  let count = 0;
  let left = 0;
  let line = { start: begin, number: 1 };
  for (let step = search.next(); step !== 'end'; step = search.next()) {
    if (step === 'pause') {
      yield;
      continue;
    }
    count += 1;
    if (matching.length === page.limit) {
      left += 1;
      continue;
    }
    line = { start: step.start, number: line.number + separatorsBetween(bytes, line.start, step.start, false) };
    if (line.number > page.after) matching.push({ ...step, number: line.number });
  }
  const matches: MatchingLine[] = [];
  let characters = 0;
  for (const { number, ...each } of matching) {
    if (characters > page.characters) break;
    const text = yield* shown(bytes, each, pattern);
    const context = page.context === 0 ? {} : yield* contextOf(bytes, each, pattern, page.context);
    const match = { line: number, text, ...context };
    characters += charactersOf(match);
    matches.push(match);
    yield;
  }
  return { count, matches, left: left + matching.length - matches.length };
}

/** Length of its texts in UTF-16 units. */
export function charactersOf({ text, before = [], after = [] }: MatchingLine): number {
  return [text, ...before, ...after].reduce((sum, { length }) => sum + length, 0);
}

function* contextOf(
  bytes: Buffer,
  line: Line,
  pattern: Pattern,
  most: number,
): Generator<undefined, Pick<MatchingLine, 'before' | 'after'>> {
  const [before, after]: [string[], string[]] = [[], []];
  for (const each of linesBefore(bytes, line, most)) before.unshift(yield* shown(bytes, each, pattern));
  for (const each of linesBehind(bytes, line, most)) after.push(yield* shown(bytes, each, pattern));
  return { before, after };
}

/** The nearest one first. */
function* linesBefore(bytes: Buffer, line: Line, most: number): Generator<Line> {
  const begin = bomLength(bytes);
  let { start } = line;
  for (let left = most; left > 0 && start > begin; left--) {
    const end = start - separatorBefore(bytes, start).length;
    start = startOfLine(bytes, end, begin);
    yield { start, end };
  }
}

function* linesBehind(bytes: Buffer, line: Line, most: number): Generator<Line> {
  let { end } = line;
  for (let left = most; left > 0; left--) {
    const start = behindLine(bytes, end);
    if (start === bytes.length) return;
    end = endOfLine(bytes, start);
    yield { start, end };
  }
}

function* shown(bytes: Buffer, line: Line, pattern: Pattern): Generator<undefined, string> {
  if (!isLong(bytes, line)) return bytes.toString('utf8', line.start, line.end);
  return cutLine(bytes, line, yield* pattern.firstMatchIn(bytes, line));
}
