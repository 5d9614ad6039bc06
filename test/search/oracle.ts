/** The obvious search: split into lines, and ask JavaScript about each. */
import { Pattern } from '../../workers/search/pattern.js';
import { matchText, type Page, type TextMatches } from '../../workers/search/match.js';
import { atOnce } from '../../workers/turn.js';

export interface Options {
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
}

const wholePage: Page = { after: 0, limit: Infinity, context: 0, characters: Infinity };

/** As a search does it. */
export function found(text: string | Buffer, pattern: string, options: Options = {}, page = wholePage): TextMatches {
  const matches = atOnce(
    matchText(Buffer.from(text), new Pattern({ pattern, literal: false, ignoreCase: false, ...options }), page),
  );
  if (matches === 'binary') throw new Error('not UTF-8');
  return matches;
}

/** Numbers of the lines that match. */
export function linesFound(text: string, pattern: string, options: Options = {}): readonly number[] {
  return found(text, pattern, options).matches.map(({ line }) => line);
}

export function linesOf(text: string): readonly string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Numbers of the lines that match an expression that JavaScript knows. */
export function linesExpected(text: string, expression: RegExp): readonly number[] {
  return linesOf(text).flatMap((line, index) => (firstMatch(line, expression) === undefined ? [] : [index + 1]));
}

/** The first match that begins at a whole character: the engine itself also finds `\B` between two halves of one. */
export function firstMatch(line: string, { source, flags }: RegExp): { before: string; match: string } | undefined {
  const here = new RegExp(source, `${flags}y`);
  let before = '';
  for (const next of [...Array.from(line), '']) {
    here.lastIndex = before.length;
    const [match] = here.exec(line) ?? [];
    if (match !== undefined) return { before, match };
    before += next;
  }
  return undefined;
}
