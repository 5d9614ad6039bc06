/** Ways in which a caller sends a text that differs from the file's, although it has seen that. */

import { inAscii } from './shown.js';

interface Misreading {
  /** The text that was probably meant; undefined if there is no sign of this. */
  readonly mend: (text: string) => string | undefined;
  /** What to do, once the mended text has been found at a line. */
  readonly advice: (line: number, parameter: string) => string;
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

export const misreadings: readonly Misreading[] = [
  // Nothing but white space looks like anything else.
  ...['\r\n', '\n', '\r'].map((separator): Misreading => {
    const written = JSON.stringify(separator).slice(1, -1);
    return {
      mend: (text) => (whiteSpace.test(text) ? changed(text, text.replaceAll(/\r\n?|\n/g, separator)) : undefined),
      advice: (line, parameter) =>
        `It differs from the text at line ${line} only in line endings. Send ${written} for every line ending in ${parameter}.`,
    };
  }),
  {
    mend: (text) =>
      changed(
        text,
        text.replaceAll(/\\(?:(["'\\/nrt])|u([\dA-Fa-f]{4}))/g, (_, one = '', code = '') =>
          code === '' ? (escapes.get(String(one)) ?? String(one)) : String.fromCharCode(parseInt(String(code), 16)),
        ),
      ),
    advice: (line, parameter) =>
      `${parameter} is escaped once too often: with its backslash sequences as the characters that they stand for it is at line ${line}. Escape it once, as JSON needs it.`,
  },
  {
    mend: (text) => changed(text, text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')),
    advice: (line, parameter) =>
      `The text at line ${line} has backslash sequences where ${parameter} has the characters themselves: send every backslash of the file as \\\\ in JSON.`,
  },
  {
    mend: (text) => {
      const lines = text.split('\n');
      const numbered = lines.every(
        (line, index) => lineNumber.test(line) || (line === '' && index === lines.length - 1),
      );
      return numbered ? lines.map((line) => line.replace(lineNumber, '')).join('\n') : undefined;
    },
    advice: (line, parameter) =>
      `${parameter} has line numbers in front of its lines, which are not in the file: without them it is at line ${line}. Leave them out.`,
  },
  {
    mend: (text) =>
      changed(
        text,
        text.replaceAll(/&(?:lt|gt|quot|#39|apos|amp);/g, (entity) => entities.get(entity) ?? entity),
      ),
    advice: (line, parameter) =>
      `${parameter} has HTML entities where the text at line ${line} has the characters themselves: send < and not &lt;.`,
  },
  {
    mend: (text) =>
      changed(
        text,
        text.replaceAll(/[&<>]/g, (character) => entityOf.get(character) ?? character),
      ),
    advice: (line, parameter) =>
      `The text at line ${line} has HTML entities where ${parameter} has the characters themselves: send &lt; and the like as they are in the file.`,
  },
  {
    mend: (text) => changed(text, text.replaceAll("'", '"')),
    advice: (line, parameter) =>
      `The text at line ${line} has double quotes where ${parameter} has single ones: send them as they are in the file.`,
  },
  {
    mend: (text) => changed(text, text.replaceAll('"', "'")),
    advice: (line, parameter) =>
      `The text at line ${line} has single quotes where ${parameter} has double ones: send them as they are in the file.`,
  },
  ...[/["']/g, /\\/g, /["'\\]/g].map((escaped): Misreading => {
    return {
      mend: (text) => changed(text, text.replaceAll(escaped, '\\$&')),
      advice: (line, parameter) =>
        `The text at line ${line} has more backslashes than ${parameter}: send each one of the file as \\\\ in JSON.`,
    };
  }),
  {
    mend: (text) => changed(text, inAscii(text)),
    advice: (line, parameter) =>
      `The text at line ${line} has escapes such as \\u00e9 where ${parameter} has the characters themselves: send every backslash of the file as \\\\ in JSON.`,
  },
  {
    mend: (text) => changed(text, text.replaceAll(/\\([.*+?^${}()|[\]/-])/g, '$1')),
    advice: (line, parameter) =>
      `${parameter} is taken literally, not as a regular expression: without its backslashes it is at line ${line}.`,
  },
  {
    mend: (text) => changed(text, text.replace(/^\s*```[^\n]*\n/, '').replace(/\n```\s*$/, '')),
    advice: (line, parameter) =>
      `${parameter} is fenced by \`\`\`, which is not in the file: without that it is at line ${line}.`,
  },
];

/** Whether a string seems to be a regular expression. */
export function looksLikePattern(text: string): boolean {
  return /\\[dwsb]|\.[*+]|\(\?:|\[\^?[a-z0-9]-[a-z0-9]/i.test(text);
}

function changed(text: string, mended: string): string | undefined {
  return mended === text || mended === '' ? undefined : mended;
}
