/**
 * Ways in which a sent text can differ from the intended one: differences that a reader overlooks or cannot see, and
 * changes that a caller makes to a text it has read.
 *
 * Separators of lines are `\n`, `\r\n` and `\r` (spec 4). Blanks are all other white space of Unicode, including tabs.
 */
import { withoutDashes, withoutSmartQuotes } from '../find/by-keys.js';
import { inAscii } from './advice.js';

interface Difference {
  /** Its name in an error. */
  readonly name: string;
  /** Rewrites a text so that this difference disappears. */
  readonly level: (text: string) => string;
}

export const caseName = 'upper and lower case';
export const separatorName = 'line endings';
export const normalizationName = 'Unicode normalization (NFC or NFD)';
/** With one of these differences, two words can match parts of a single one. */
export const joinedNames: readonly string[] = ['spaces within the lines', 'line breaks'];

/**
 * In the order of levelling; later ones level more and are named only where needed. Each takes time proportional to the
 * length of the text, whatever its content: no expression can begin inside a run.
 */
const differences: readonly Difference[] = [
  { name: normalizationName, level: (text) => text.normalize('NFC') },
  // Format and control characters, and variation selectors.
  {
    name: 'invisible characters',
    level: (text) => text.replaceAll(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u034f\ufe00-\ufe0f\p{Cf}]/gu, ''),
  },
  {
    name: 'kinds of spaces',
    level: (text) => text.replaceAll(/[\v\f\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g, ' '),
  },
  { name: 'smart quotes', level: withoutSmartQuotes },
  { name: 'dashes', level: withoutDashes },
  { name: caseName, level: (text) => text.toLowerCase() },
  { name: separatorName, level: (text) => text.replaceAll(/\r\n?/g, '\n') },
  { name: 'trailing white space', level: (text) => text.replaceAll(/(?<![ \t])[ \t]+(?=[\r\n]|$)/g, '') },
  { name: 'indentation', level: (text) => text.replaceAll(/(?<=^|[\r\n])[ \t]+/g, '') },
  { name: 'tabs or spaces within the lines', level: (text) => text.replaceAll(/[ \t]+/g, ' ') },
  { name: 'blank lines', level: (text) => text.replaceAll(/(?<=^|[\r\n])(?:[ \t]*(?:\r\n?|\n))+/g, '') },
  { name: 'spaces within the lines', level: (text) => text.replaceAll(/[ \t]+/g, '') },
  { name: 'line breaks', level: (text) => text.replaceAll(/[ \t\r\n]+/g, '') },
  {
    name: 'accents or compatibility forms',
    level: (text) => text.normalize('NFKD').replaceAll(/[\p{M}\p{Cf}\s]/gu, ''),
  },
];

/**
 * The fewest differences that explain why the two are not the same.
 * @returns undefined if none of the known differences explains it
 */
export function nameDifferences(wanted: string, found: string): readonly string[] | undefined {
  const same = (needed: readonly Difference[]): boolean => levelled(wanted, needed) === levelled(found, needed);
  let needed = differences;
  if (!same(needed)) return undefined;
  for (const difference of differences.toReversed()) {
    const fewer = needed.filter((other) => other !== difference);
    if (same(fewer)) needed = fewer;
  }
  return needed.map(({ name }) => name);
}

function levelled(text: string, needed: readonly Difference[]): string {
  return needed.reduce((level, difference) => difference.level(level), text);
}

interface Misreading {
  /** The fault of the parameter, if the mended text is in the file. */
  readonly fault: (parameter: string) => string;
  /** The text that was probably meant; the same text if nothing suggests this fault. */
  readonly mend: (text: string) => string;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const entities: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&apos;', "'"],
  ['&amp;', '&'],
]);
/** A line number as viewers put it in front of a line. */
const lineNumber = /^[ ]*\d+(?:\t|→|\||: ?)/;

/** In the order of trying. */
export const misreadings: readonly Misreading[] = [
  // Only for pure white space, which resembles nothing else.
  ...['\r\n', '\n', '\r'].map((separator) => ({
    fault: (parameter: string) => `The line endings of the file differ from those of ${parameter}`,
    mend: (text: string) => (/^\s+$/.test(text) ? text.replaceAll(/\r\n?|\n/g, separator) : text),
  })),
  {
    fault: (parameter) => `${parameter} has one level of escaping too many`,
    mend: (text) =>
      text.replaceAll(/\\(?:(["'\\/nrt])|u([\dA-Fa-f]{4}))/g, (_, one = '', code = '') =>
        code === '' ? (escapes.get(String(one)) ?? String(one)) : String.fromCharCode(parseInt(String(code), 16)),
      ),
  },
  {
    fault: (parameter) => `The file has backslash sequences where ${parameter} has the characters themselves`,
    mend: (text) => text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t'),
  },
  {
    fault: (parameter) => `${parameter} prefixes its lines with line numbers that are not in the file`,
    mend: withoutLineNumbers,
  },
  {
    fault: (parameter) => `${parameter} has HTML entities where the file has the characters themselves`,
    mend: (text) => text.replaceAll(/&(?:lt|gt|quot|#39|apos|amp);/g, (entity) => entities.get(entity) ?? entity),
  },
  {
    fault: (parameter) => `The file has HTML entities where ${parameter} has the characters themselves`,
    mend: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  },
  {
    fault: (parameter) => `The file has double quotes where ${parameter} has single ones`,
    mend: (text) => text.replaceAll("'", '"'),
  },
  {
    fault: (parameter) => `The file has single quotes where ${parameter} has double ones`,
    mend: (text) => text.replaceAll('"', "'"),
  },
  ...[/["']/g, /\\/g, /["'\\]/g].map((escaped) => ({
    fault: (parameter: string) => `The file has more backslashes than ${parameter}`,
    mend: (text: string) => text.replaceAll(escaped, '\\$&'),
  })),
  {
    fault: (parameter) => `The file has escapes such as \\u00e9 where ${parameter} has the characters themselves`,
    mend: inAscii,
  },
  {
    fault: (parameter) => `${parameter} is taken literally, not as a regular expression`,
    mend: (text) => text.replaceAll(/\\([.*+?^${}()|[\]/-])/g, '$1'),
  },
  {
    fault: (parameter) => `${parameter} is wrapped in a \`\`\` fence that is not in the file`,
    mend: (text) => text.replace(/^\s*```[^\n]*\n/, '').replace(/\n```\s*$/, ''),
  },
];

/** If a line has no number, the text is returned unchanged. */
function withoutLineNumbers(text: string): string {
  const lines = text.split('\n');
  const isNumbered = lines.every((line, index) => lineNumber.test(line) || (line === '' && index === lines.length - 1));
  return isNumbered ? lines.map((line) => line.replace(lineNumber, '')).join('\n') : text;
}

/** Whether a string looks like a regular expression. */
export function looksLikePattern(text: string): boolean {
  return /\\[dwsb]|\.[*+]|\(\?:|\[\^?[a-z0-9]-[a-z0-9]/i.test(text);
}
