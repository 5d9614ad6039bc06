/** Explains that a text is nearly the one that was looked for: where it is, and what differs. */
import { lineAt } from '../search/line-numbers.js';
import { CR, LF } from '../separators.js';
import { adviceFor, asInFile, isGiven, isRepeated } from './advice.js';
import { caseName, joinedNames, nameDifferences } from './differences.js';
import { linesOf, mostShown, tellDifferences } from './line-differences.js';
import { findLookalikes, withBlanks } from './lookalikes.js';
import { looksLikePattern } from './misread.js';
import { nearestLines } from './nearest-lines.js';
import { lineWithEdge } from './shared-edge.js';
import { shown } from './shown.js';
import type { Sought } from './sought.js';

/** How much of a string is compared, in bytes: more would take longer than an error may. */
export const mostCompared = 16_384;

interface Lookalike {
  /** In bytes. */
  readonly start: number;
  readonly found: string;
  /** Of the differences. */
  readonly names: readonly string[];
}

/** The text is there, but for white space, case, quotes and the like. */
export function explainLookalike(text: Buffer, sought: Sought): string | undefined {
  const { text: wanted, caseMatters } = sought;
  const string = Buffer.from(wanted);
  if (string.length > mostCompared) return undefined;
  const places = findLookalikes(text, string).filter(({ start, end }) => end - start <= 2 * mostCompared);
  const alike: Lookalike[] = [];
  let compared = 0;
  for (const place of places) {
    // Naming the differences of 16 KB takes milliseconds, and one place is enough.
    if (alike.length > 0 && compared > mostCompared) break;
    const { start, end } = withBlanks(text, place, wanted);
    compared += end - start;
    const found = text.toString('utf8', start, end);
    const names = nameDifferences(wanted, found)?.filter((name) => caseMatters !== 'not' || name !== caseName);
    if (names === undefined || names.length === 0) continue;
    if (joinedNames.some((name) => names.includes(name)) && isWithinWord(text, start, end)) continue;
    alike.push({ start, found, names });
  }
  const [nearest, ...further] = alike.sort((a, b) => a.names.length - b.names.length);
  if (nearest === undefined) return undefined;
  const { start, found, names } = nearest;
  const isOne = !isRepeated(text, found) && further.every((other) => listed(other.names) !== listed(names));
  const others = isOne ? '' : ', and from others,';
  const line = lineAt(text, start);
  const differing = `It differs from the text at line ${line}${others} only in ${listed(names)}: ${tellFound(found, line, sought)}.`;
  return `${differing} ${adviceFor({ text, places, found, names }, sought)}`;
}

function tellFound(found: string, firstLine: number, { text: wanted, parameters }: Sought): string {
  const parameter = parameters.text;
  // Line by line, the lines that only the string has would not be told, and nobody could put right what differs.
  const isPart = !isGiven(found) && linesOf(found).length < linesOf(wanted).length;
  const lines = isPart ? '' : tellDifferences({ found, wanted, parameter, firstLine, isEnd: false });
  if (lines !== '') return lines;
  // They may also be the same but for blank ones around them.
  const end = wanted.startsWith(found) ? found.length : 0;
  return `the file has ${shown(found, mostShown, end)} where ${parameter} has ${shown(wanted, mostShown, end)}`;
}

/** `ab` within `tab` is not what `a b` was meant to match. */
function isWithinWord(text: Buffer, start: number, end: number): boolean {
  const isWord = /^\w\w$/;
  return (
    isWord.test(text.toString('latin1', start - 1, start + 1)) || isWord.test(text.toString('latin1', end - 1, end + 1))
  );
}

/**
 * The lines most like one of the string's lines, and what differs there.
 * @param isWhole whether `text` is the whole file
 */
export function explainNearest(text: Buffer, { text: wanted, parameters }: Sought, isWhole: boolean): string {
  if (text.length === 0) return 'The file is empty.';
  const parameter = parameters.text;
  const literally = looksLikePattern(wanted) ? ` ${parameter} is taken literally, not as a regular expression.` : '';
  const lines = linesOf(wanted.slice(0, mostCompared));
  const { probe, near } = nearest(text, lines);
  const [best, ...others] = near;
  const beginning = 'the beginning of this large file, which is all that was compared,';
  if (best === undefined) {
    return `No line of ${isWhole ? 'the file' : beginning} resembles it: read it again.${literally}`;
  }
  // As many lines precede the probe as there is room for.
  const around = Math.min(probe, best.line - 1);
  const firstLine = best.line - around;
  const start = startOfLine(text, best.start, around);
  const { found, isEnd } = linesFrom(text, start);
  const also = others
    .filter(({ line }) => line < firstLine || line >= firstLine + lines.length)
    .map(({ line, start: from, end }) => `line ${line} (${shown(lineText(text, from, end), mostShown)})`);
  const more = also.length === 0 ? '' : ` Also similar: ${listed(also)}.`;
  const before = lines.slice(0, probe - around).join('');
  const begins = `the file begins there where ${parameter} has ${shown(before, mostShown)} in front`;
  const wantedThere = lines.slice(probe - around).join('');
  const differences = tellDifferences({ found, wanted: wantedThere, parameter, firstLine, isEnd, around });
  const told = [...(before === '' ? [] : [begins]), ...(differences === '' ? [] : [differences])].join('; ');
  const where = isWhole ? '' : ` in ${beginning}`;
  return `The nearest text${where} is at line ${firstLine}: ${told}.${more} ${asInFile(parameter)}${literally}`;
}

/** How many lines of a string are tried: each takes about 10 ms for 1 MB. */
const mostProbes = 3;

/** The longest line of a string that resembles some of the text, by its index, and those. */
function nearest(text: Buffer, lines: readonly string[]): { probe: number; near: ReturnType<typeof nearestLines> } {
  const trimmed = lines.map((line) => line.trim());
  const longest = [...trimmed.keys()].sort((a, b) => lengthAt(trimmed, b) - lengthAt(trimmed, a));
  for (const probe of longest.slice(0, mostProbes)) {
    const near = nearestLines(text, Buffer.from(trimmed[probe]?.slice(0, 1_000) ?? ''));
    if (near.length > 0) return { probe, near };
  }
  const [probe = 0] = longest;
  const line = lineWithEdge(text, trimmed[probe] ?? '');
  return { probe, near: line === undefined ? [] : [line] };
}

function lengthAt(lines: readonly string[], index: number): number {
  return lines[index]?.length ?? 0;
}

/** As many whole lines as are compared, and whether the text ends with them. */
function linesFrom(text: Buffer, start: number): { found: string; isEnd: boolean } {
  const end = start + 4 * mostCompared;
  if (end >= text.length) return { found: text.toString('utf8', start), isEnd: true };
  const whole = text.lastIndexOf(LF, end - 1) + 1;
  return { found: text.toString('utf8', start, whole > start ? whole : end), isEnd: false };
}

function lineText(text: Buffer, start: number, end: number): string {
  return text.toString('utf8', start, Math.min(end, start + mostCompared));
}

function startOfLine(text: Buffer, start: number, linesBack: number): number {
  let at = start;
  for (let left = linesBack; left >= 0 && at > 0; at--) {
    const byte = text[at - 1];
    if (byte === LF || (byte === CR && text[at] !== LF)) left -= 1;
    if (left < 0) break;
  }
  return at;
}

function listed(names: readonly string[]): string {
  return names.length <= 1 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
