/** The POSIX character classes, as in `[[:digit:]]`. */

/** The first and the last character. */
export type Range = readonly [from: string, to: string];

/** As git defines them: ASCII only, and `space` lacks two characters. */
export const posixClasses: ReadonlyMap<string, readonly Range[]> = new Map([
  ['alnum', [['0', '9'], ['A', 'Z'], ['a', 'z']]],
  ['alpha', [['A', 'Z'], ['a', 'z']]],
  ['blank', [[' ', ' '], ['\t', '\t']]],
  ['cntrl', [['\0', '\x1f'], ['\x7f', '\x7f']]],
  ['digit', [['0', '9']]],
  ['graph', [['!', '~']]],
  ['lower', [['a', 'z']]],
  ['print', [[' ', '~']]],
  ['punct', [['!', '/'], [':', '@'], ['[', '`'], ['{', '~']]],
  ['space', [[' ', ' '], ['\t', '\n'], ['\r', '\r']]],
  ['upper', [['A', 'Z']]],
  ['xdigit', [['0', '9'], ['A', 'F'], ['a', 'f']]],
] satisfies [string, Range[]][]); // prettier-ignore
