/**
 * Names the differences between a text that was looked for and one that looks like it, and says what white space is.
 * Separators of lines are `\n`, `\r\n` and `\r` (spec 4). Blanks are all other white space of Unicode, with tabs.
 */

/** All blanks but the space and the tab. */
const otherBlank = /[\v\f\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;
/** What takes no room: format and control characters, and variation selectors. */
const invisible = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u034f\ufe00-\ufe0f\p{Cf}]/gu;
/** Characters with which a line can begin or end without being visible. */
const unseen = /^(?:[\t\v\f\u0000-\u0008\u000e-\u001f\u007f-\u009f\u034f\ufe00-\ufe0f\p{Z}\p{Cf}])$/u;

/** Whether a character is invisible and separates no lines. */
export function isUnseen(character: string): boolean {
  return unseen.test(character);
}

interface Difference {
  /** What an error calls it. */
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
 * In the order in which they are levelled; the later ones level more and are named only where they are needed. Each
 * takes time proportional to the length of the text, whatever it says: no expression can begin inside a run.
 */
const differences: readonly Difference[] = [
  { name: normalizationName, level: (text) => text.normalize('NFC') },
  { name: 'invisible characters', level: (text) => text.replaceAll(invisible, '') },
  { name: 'kinds of spaces', level: (text) => text.replaceAll(otherBlank, ' ') },
  {
    name: 'smart quotes',
    level: (text) =>
      text.replaceAll(/[\u00ab\u00bb\u00b4\u2018-\u201f\u2032\u2033]/g, (quote) => withoutTypography(quote)),
  },
  { name: 'dashes', level: (text) => text.replaceAll(/[\u2010-\u2015\u2212]/g, '-') },
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

/** With the quotes and dashes of a keyboard in place of typographic ones. */
export function withoutTypography(text: string): string {
  return text
    .replaceAll(/[\u2018-\u201b\u2032\u00b4]/g, "'")
    .replaceAll(/[\u00ab\u00bb\u201c-\u201f\u2033]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-');
}
