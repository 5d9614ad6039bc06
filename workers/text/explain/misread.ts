/** Ways in which a caller sends a text that differs from the file's, although it has seen that. */
import { lineAt } from '../find/line-numbers.js';
import { findAll } from '../find/search.js';
import { inAscii, sendInstead, type Sought } from './advice.js';
import { mostCompared } from './lookalike.js';

interface Misreading {
  /** The text that was probably meant; undefined if there is no sign of this. */
  readonly mend: (text: string) => string | undefined;
  /** What is wrong with the parameter, if the mended text is in the file. */
  readonly fault: (parameter: string) => string;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const whiteSpace = /^\s+$/;
const entities: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&apos;', "'"],
  ['&amp;', '&'],
]);
const entityOf: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);
/** As a viewer writes it in front of a line. */
const lineNumber = /^[ ]*\d+(?:\t|→|\||: ?)/;

const misreadings: readonly Misreading[] = [
  // Nothing but white space looks like anything else.
  ...['\r\n', '\n', '\r'].map((separator): Misreading => ({
    mend: (text) => (whiteSpace.test(text) ? text.replaceAll(/\r\n?|\n/g, separator) : undefined),
    fault: (parameter) => `The line endings of the file differ from those of ${parameter}`,
  })),
  {
    mend: (text) =>
      text.replaceAll(/\\(?:(["'\\/nrt])|u([\dA-Fa-f]{4}))/g, (_, one = '', code = '') =>
        code === '' ? (escapes.get(String(one)) ?? String(one)) : String.fromCharCode(parseInt(String(code), 16)),
      ),
    fault: (parameter) => `${parameter} is escaped once too often`,
  },
  {
    mend: (text) => text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t'),
    fault: (parameter) => `The file has backslash sequences where ${parameter} has the characters themselves`,
  },
  {
    mend: (text) => {
      const lines = text.split('\n');
      const numbered = lines.every(
        (line, index) => lineNumber.test(line) || (line === '' && index === lines.length - 1),
      );
      return numbered ? lines.map((line) => line.replace(lineNumber, '')).join('\n') : undefined;
    },
    fault: (parameter) => `${parameter} has line numbers in front of its lines, which are not in the file`,
  },
  {
    mend: (text) => text.replaceAll(/&(?:lt|gt|quot|#39|apos|amp);/g, (entity) => entities.get(entity) ?? entity),
    fault: (parameter) => `${parameter} has HTML entities where the file has the characters themselves`,
  },
  {
    mend: (text) => text.replaceAll(/[&<>]/g, (character) => entityOf.get(character) ?? character),
    fault: (parameter) => `The file has HTML entities where ${parameter} has the characters themselves`,
  },
  {
    mend: (text) => text.replaceAll("'", '"'),
    fault: (parameter) => `The file has double quotes where ${parameter} has single ones`,
  },
  {
    mend: (text) => text.replaceAll('"', "'"),
    fault: (parameter) => `The file has single quotes where ${parameter} has double ones`,
  },
  ...[/["']/g, /\\/g, /["'\\]/g].map((escaped): Misreading => ({
    mend: (text) => text.replaceAll(escaped, '\\$&'),
    fault: (parameter) => `The file has more backslashes than ${parameter}`,
  })),
  {
    mend: inAscii,
    fault: (parameter) => `The file has escapes such as \\u00e9 where ${parameter} has the characters themselves`,
  },
  {
    mend: (text) => text.replaceAll(/\\([.*+?^${}()|[\]/-])/g, '$1'),
    fault: (parameter) => `${parameter} is taken literally, not as a regular expression`,
  },
  {
    mend: (text) => text.replace(/^\s*```[^\n]*\n/, '').replace(/\n```\s*$/, ''),
    fault: (parameter) => `${parameter} has a \`\`\` fence, which is not in the file`,
  },
];

/** @returns sentences; undefined if the text was not misread in any of these ways */
export function explainMisreading(text: Buffer, sought: Sought): string | undefined {
  const { text: wanted, parameters } = sought;
  if (wanted.length > mostCompared) return undefined;
  for (const { mend, fault } of misreadings) {
    const mended = mend(wanted);
    if (mended === undefined || mended === '' || mended === wanted || !mended.isWellFormed()) continue;
    const [start] = findAll(text, Buffer.from(mended), false, 1);
    if (start === undefined) continue;
    return `${fault(parameters.text)}: the text is at line ${lineAt(text, start)}. ${sendInstead(text, mended, sought)}`;
  }
  return undefined;
}

/** Whether a string seems to be a regular expression. */
export function looksLikePattern(text: string): boolean {
  return /\\[dwsb]|\.[*+]|\(\?:|\[\^?[a-z0-9]-[a-z0-9]/i.test(text);
}
