/** Shows how lines of a file differ from those that were looked for, so that the next attempt can be right. */
import { longestSuch } from './shared-edge.js';
import { inAscii, shown } from './shown.js';

/** How much of a line is shown, in UTF-16 units. */
export const mostShown = 120;
/** How many differing lines are shown. */
const mostTold = 3;
/** How much of the beginning of a string is looked for within a line, in UTF-16 units. */
const mostAligned = 200;

const lineBreak = /(?<=\n)|(?<=\r)(?!\n)/;

/** Each with its separator. */
export function linesOf(text: string): string[] {
  return text.split(lineBreak);
}

interface Comparison {
  /** Begins with the counterpart of `wanted`, or with the line within which that should begin. */
  readonly found: string;
  readonly wanted: string;
  /** What the tool calls the wanted text. */
  readonly parameter: string;
  /** Number of the first line of what was found. */
  readonly firstLine: number;
  /** Whether the file ends with what was found. */
  readonly isEnd: boolean;
  /** Index of the line by which the two were aligned: what is far away from it may only be shifted. */
  readonly around?: number;
}

/** The lines in which the two differ, as both have them; of many, those around the line by which they were aligned. */
export function tellDifferences({ found, wanted, parameter, firstLine, isEnd, around = 0 }: Comparison): string {
  const there = linesOf(found);
  const lines = linesOf(wanted);
  const pairs = lines.slice(0, there.length).map((line, index): Pair => ({ line, there: there[index] ?? '', index }));
  const behind = lines.slice(there.length).join('');
  // What follows the part that was looked at is unknown.
  if (isEnd && behind !== '') pairs.push({ line: behind, there: '', index: there.length });
  const differing = pairs.filter((pair) => differs(pair, lines.length - 1));
  const told = differing
    .toSorted((a, b) => Math.abs(a.index - around) - Math.abs(b.index - around))
    .slice(0, mostTold)
    .sort((a, b) => a.index - b.index)
    .map((pair) => tell(pair, parameter, firstLine));
  const left = differing.length - told.length;
  const more = left === 0 ? '' : `; ${left} more ${left === 1 ? 'line differs' : 'lines differ'}`;
  return `${told.join('; ')}${more}`;
}

/** A line that was looked for, and its counterpart in the file; all that would be behind the end, with an empty one. */
interface Pair {
  readonly line: string;
  readonly there: string;
  readonly index: number;
}

/** The first line may be the end of a longer one, the last line the beginning. */
function differs({ line, there, index }: Pair, last: number): boolean {
  if (index === 0 && index === last) return !there.includes(line);
  if (index === 0) return !there.endsWith(line);
  return index === last ? !there.startsWith(line) : there !== line;
}

function tell({ line, there, index }: Pair, parameter: string, firstLine: number): string {
  if (there === '') {
    return `the file ends with line ${firstLine + index - 1} where ${parameter} has ${shown(line, mostShown)} behind that`;
  }
  const where = index === 0 ? '' : `at line ${firstLine + index} `;
  // Showing a separator that is not part of the string would make a caller who copies it join two lines.
  const text = separatorOf(line) === '' ? there.slice(0, there.length - separatorOf(there).length) : there;
  const start = index === 0 ? beginningIn(text, line) : 0;
  let same = 0;
  while (same < line.length && text[start + same] === line[same]) same += 1;
  const has = text === '' ? 'an empty line' : shown(text, mostShown, start + same);
  const [its, mine] = apart(has, shown(line, mostShown, same));
  return `${where}the file has ${its} where ${parameter} has ${mine}${confused(text.slice(start), line, same)}`;
}

/** Two texts that differ, but look the same: such as the letter Å and the sign for the unit. */
function apart(one: string, other: string): readonly [string, string] {
  const same = one.normalize('NFKC') === other.normalize('NFKC');
  return same ? [inAscii(one), inAscii(other)] : [one, other];
}

function separatorOf(line: string): string {
  return /(?:\r\n|[\r\n])$/.exec(line)?.[0] ?? '';
}

/** Where in `there` the beginning of `line` fits best: a string may begin within a line. */
function beginningIn(there: string, line: string): number {
  const most = Math.min(line.length, mostAligned);
  return there.indexOf(
    line.slice(
      0,
      longestSuch(most, (length) => there.includes(line.slice(0, length))),
    ),
  );
}

/** Names two letters of different scripts that look the same. */
function confused(there: string, line: string, at: number): string {
  const [one, other] = [there, line].map((text) => String.fromCodePoint(text.codePointAt(at) ?? 0x20));
  if (one === undefined || other === undefined || !isLetter(one) || !isLetter(other)) return '';
  if (isLatin(one) === isLatin(other)) return '';
  return ` (${codePoint(one)} there, ${codePoint(other)} here)`;
}

const isLetter = (character: string): boolean => /\p{L}/u.test(character);
const isLatin = (character: string): boolean => /\p{Script=Latin}/u.test(character);

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
