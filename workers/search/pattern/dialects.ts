/** The meaning elsewhere of escapes that are ordinary characters here (spec 13). */

interface Escape {
  /** What is found here. */
  readonly here: string;
  /** The equivalent here of its meaning elsewhere. */
  readonly instead: string;
  readonly use: string;
}

const escapes: Readonly<Record<string, Escape>> = {
  '\\|': { here: 'the character |', instead: '|', use: 'for alternatives send |' },
  '\\(': { here: 'the character (', instead: '(', use: 'for a group send (' },
  '\\{': { here: 'the character {', instead: '{', use: 'for a number of repetitions send {' },
  '\\<': { here: 'the character <', instead: '\\b', use: 'for the start of a word send \\b' },
  '\\>': { here: 'the character >', instead: '\\b', use: 'for the end of a word send \\b' },
  '\\A': { here: 'the letter A', instead: '^', use: 'for the start of a line send ^' },
  '\\Z': { here: 'the letter Z', instead: '$', use: 'for the end of a line send $' },
  '\\z': { here: 'the letter z', instead: '$', use: 'for the end of a line send $' },
};
/** Closing escapes: no evidence alone, only with an opening one. */
const closing: Readonly<Record<string, string>> = { '\\)': ')', '\\}': '}' };

/** What the escapes of a pattern that matches nothing mean here; undefined if none can be meant otherwise. */
export function patternNote(pattern: string): string | undefined {
  const found = [...new Set(pattern.match(/\\./gsu) ?? [])].flatMap((written) => {
    const escape = escapes[written];
    return escape === undefined ? [] : [`${written} is ${escape.here}: ${escape.use}`];
  });
  if (found.length === 0) return undefined;
  const meant = pattern.replaceAll(/\\./gsu, (written) => escapes[written]?.instead ?? closing[written] ?? written);
  return `In this pattern ${found.join('; ')}.${isExpression(meant) ? ` Perhaps meant: ${meant}` : ''}`;
}

/** Tested with JavaScript, which is as lenient as we are. */
function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern).source !== '';
  } catch {
    return false;
  }
}
