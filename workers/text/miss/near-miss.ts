/** Explains that a text is nearly the one that was looked for: where it is, and what differs. */
import type { TextEdit } from '../../../src/operations.js';
import { lineAt } from '../search/line-numbers.js';
import { CR, LF } from '../separators.js';
import { caseName, joinedNames, nameDifferences } from './differences.js';
import { findLookalikes, withBlanks } from './lookalikes.js';
import { looksLikePattern } from './misread.js';
import { nearestLines } from './nearest-lines.js';
import { shown } from './shown.js';

/** UTF-16 units of a line that are shown. */
export const mostShown = 120;
/** Bytes of a string that is compared: more would take more time than an error may. */
export const mostCompared = 16_384;

/** Of line endings that are mixed. */
const mostSeparatorsShown = 20;

const asInFile = 'Send old_string exactly as it is in the file.';

/** The same but for white space, case, quotes and the like. */
export function explainLookalike(text: Buffer, { old_string: wanted, case_insensitive }: TextEdit): string | undefined {
  const string = Buffer.from(wanted);
  if (string.length > mostCompared) return undefined;
  const places = findLookalikes(text, string).filter(({ start, end }) => end - start <= 2 * mostCompared);
  for (const place of places) {
    const { start, end } = withBlanks(text, place, wanted);
    const found = text.toString('utf8', start, end);
    const names = nameDifferences(wanted, found)?.filter((name) => case_insensitive !== true || name !== caseName);
    if (names === undefined || names.length === 0) continue;
    if (joinedNames.some((name) => names.includes(name)) && isWithinWord(text, start, end)) continue;
    const others = places.length > 1 ? ', and from others,' : '';
    const line = lineAt(text, start);
    return `It differs from the text at line ${line}${others} only in ${listed(names)}: ${firstDifference(found, wanted, line, line)} ${adviceFor(names, found)}`;
  }
  return undefined;
}

/** `ab` in `tab` is not what was meant by `a b`. */
function isWithinWord(text: Buffer, start: number, end: number): boolean {
  const isWord = /^\w\w$/;
  return (
    isWord.test(text.toString('latin1', start - 1, start + 1)) || isWord.test(text.toString('latin1', end - 1, end + 1))
  );
}

function adviceFor(names: readonly string[], found: string): string {
  if (names.length === 1 && names[0] === 'line endings') {
    const separators = found.match(/\r\n?|\n/g) ?? [];
    const written = separators.slice(0, mostSeparatorsShown).map((separator) => JSON.stringify(separator).slice(1, -1));
    const [first = ''] = written;
    if (separators.every((separator) => separator === separators[0])) {
      return `Send ${first} for every line ending in old_string, and in new_string to keep them.`;
    }
    const more = separators.length > mostSeparatorsShown ? ', …' : '';
    return `The line endings there are mixed. Send in old_string, in this order: ${written.join(', ')}${more}.`;
  }
  if (names.length === 1 && names[0] === caseName) return `${asInFile.slice(0, -1)}, or set case_insensitive to true.`;
  return asInFile;
}

/**
 * The lines that are most like one of the string's, and the first difference there.
 * @param isWhole whether this is all of the file
 */
export function explainNearest(text: Buffer, wanted: string, isWhole: boolean): string {
  if (text.length === 0) return 'The file is empty.';
  const literally = looksLikePattern(wanted) ? ' old_string is taken literally, not as a regular expression.' : '';
  const lines = wanted.slice(0, mostCompared).split(/(?<=\n)|(?<=\r)(?!\n)/);
  const lengths = lines.map((line) => line.trim().length);
  const probe = lengths.indexOf(Math.max(...lengths));
  const near = nearestLines(text, Buffer.from(lines[probe]?.trim().slice(0, 1_000) ?? ''));
  const [best, ...others] = near;
  if (best === undefined) {
    const where = isWhole ? 'the file' : 'the beginning of this large file, which is all that was compared,';
    return `No line of ${where} is like it: read it again.${literally}`;
  }
  const firstLine = Math.max(1, best.line - probe);
  const start = startOfLine(text, best.start, best.line - firstLine);
  const block = text.toString('utf8', start, Math.min(text.length, start + 2 * mostCompared));
  const also = others.map(
    ({ line, start: from, end }) => `line ${line} (${shown(lineText(text, from, end), mostShown)})`,
  );
  const more = also.length === 0 ? '' : ` Also similar: ${listed(also)}.`;
  const skipped = lines.slice(Math.max(0, probe + 1 - best.line)).join('');
  const difference = firstDifference(block, skipped, firstLine, best.line);
  return `The nearest text is at line ${best.line}: ${difference}${more} ${asInFile}${literally}`;
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

/**
 * The first line in which the two differ, as both have it.
 * @param found begins with what `wanted` should be, or within the line in which it should begin
 * @param firstLine number of its first line
 * @param named the line that has been named already
 */
function firstDifference(found: string, wanted: string, firstLine: number, named: number): string {
  const lines = found.split(/(?<=\n)|(?<=\r)(?!\n)/);
  const wantedLines = wanted.split(/(?<=\n)|(?<=\r)(?!\n)/);
  const last = wantedLines.length - 1;
  const index = wantedLines.findIndex((line, number) => {
    const there = lines[number] ?? '';
    if (number === 0 && number === last) return !there.includes(line);
    return number === 0 ? !there.endsWith(line) : number === last ? !there.startsWith(line) : there !== line;
  });
  const differing = Math.max(0, index);
  const there = lines[differing] ?? '';
  const line = wantedLines[differing] ?? '';
  let same = 0;
  while (same < there.length && there[same] === line[same]) same += 1;
  const has = there === '' ? 'the file ends' : `the file has ${shown(there, mostShown, same)}`;
  const where = firstLine + differing === named ? '' : `at line ${firstLine + differing} `;
  return `${where}${has} where old_string has ${shown(line, mostShown, same)}.`;
}

function listed(names: readonly string[]): string {
  return names.length <= 1 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
