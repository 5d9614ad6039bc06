import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aDirectory, type Case, type Files, linkTo, pathError, withOptions } from './case.js';
import type { Params } from '../../src/core/operations.js';
import { searchFor } from '../../workers/operations/found-lines.js';
import { cursorOf as makeCursor } from '../../workers/search/cursor.js';
import { makeFifo } from './special-files.js';

interface Match {
  readonly line: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** Files that a search finds, each with its matching lines. */
type Expected = Readonly<Record<string, readonly Match[]>>;

const nothingSkipped = { binary: 0, too_large: 0, unreadable: 0 };

const lines = (...matches: readonly (readonly [line: number, text: string])[]): readonly Match[] =>
  matches.map(([line, text]) => ({ line, text }));

/** The whole answer of a search that finds these. */
const answer = (expected: Expected, searched: number, more: object = {}): Record<string, unknown> => ({
  files: Object.entries(expected).map(([path, matches]) => ({ path, count: matches.length, matches })),
  total_matches: Object.values(expected).flat().length,
  total_files: Object.keys(expected).length,
  searched,
  skipped: nothingSkipped,
  truncated: false,
  ...more,
});

/** A search of all files. */
const finds = (
  title: string,
  params: Readonly<Record<string, unknown>>,
  before: Files,
  expected: Expected,
  { searched = Object.keys(before).length, skipped = nothingSkipped, ...more }: Partial<Case> & Searched = {},
): Case => ({ title, before, call: ['grep', params], result: answer(expected, searched, { skipped }), ...more });

interface Searched {
  readonly searched?: number;
  readonly skipped?: Partial<typeof nothingSkipped>;
}

const source: Files = {
  'a.ts': 'import a\nimport b\nconst c = a + b;\n',
  'docs/guide.md': '# Guide\n\nHow to import.\n',
  'src/b.ts': 'export const b = 1;\r\nexport const c = 2;\r\n',
};

/** The lines of one file that a pattern finds. */
const inFile = (
  title: string,
  text: string,
  params: Readonly<Record<string, unknown>>,
  matches: readonly Match[],
): Case => finds(title, params, { 'f.txt': text }, matches.length === 0 ? {} : { 'f.txt': matches });

const badPattern = (pattern: string, message: RegExp, details = /\.$/): Case => ({
  title: `refuses ${JSON.stringify(pattern)}`,
  before: { a: 'a' },
  call: ['grep', { pattern }],
  error: { code: -32602, status: 400, message, details, data: { reason: 'invalid_params' } },
});

const badParameter = (params: object, message: string): Case => ({
  title: `refuses ${JSON.stringify(params)}`,
  call: ['grep', { pattern: 'a', ...params }],
  error: {
    code: -32602,
    status: 400,
    message: `Invalid params: ${message}`,
    data: { reason: 'invalid_params' },
  },
});

/** Of a search for x in all files. */
const cursorOf = (mode: 'lines' | 'files', ...place: readonly string[]): string =>
  cursorFor({ pattern: 'x', mode }, ...place);
const cursorFor = (params: Params['grep'], ...place: readonly string[]): string => makeCursor(searchFor(params), place);

const pages: Files = { a: 'x\nx\n', b: 'y\n', c: 'x\n' };
const paged = (title: string, params: object, result: Record<string, unknown>, told?: string): Case => ({
  title,
  before: pages,
  call: ['grep', { pattern: 'x', ...params }],
  result,
  ...(told === undefined ? {} : { told }),
});
const fileA = (...matches: readonly Match[]): object => ({ path: 'a', count: 2, matches });
const fileC = { path: 'c', count: 1, matches: lines([1, 'x']) };

const badCursor = (title: string, params: object): Case => ({
  title,
  before: pages,
  call: ['grep', { pattern: 'x', ...params }],
  error: {
    code: -32602,
    status: 400,
    message: 'Invalid params: /cursor belongs to no answer of this search',
    details: /^Send the cursor of the last answer unchanged/,
    data: { reason: 'invalid_params' },
  },
});

const ignoring: Files = {
  '.gitignore': 'dist/\n',
  '.env': 'x',
  'a.ts': 'x',
  'dist/a.ts': 'x',
  '.git/config': 'x',
};

/** A pattern that finds nothing as it stands. @param meant what may be sent instead */
const advises = (pattern: string, words: string, meant: string | undefined): Case => {
  const note = `In this pattern ${words}.${meant === undefined ? '' : ` Perhaps meant: ${meant}`}`;
  return {
    title: `says what ${pattern} means`,
    before: { f: 'x' },
    call: ['grep', { pattern, hidden: true, ignored: true, ignore_case: true }],
    result: answer({}, 1, { note }),
    told: `No matches in 1 file\n[Try again with literal.]\n[${note}]`,
  };
};

/** A glob that names no file, to be sent otherwise. */
const namesNothing = (title: string, params: object, before: Files, note: string): Case => ({
  title,
  before,
  call: ['grep', { pattern: 'x', ...params }],
  result: answer({}, 0, { note }),
  told: `No matches in 0 files\n[${note}]`,
});

const long = `${'a'.repeat(600)}needle${'b'.repeat(600)}`;

export const grepCases: readonly Case[] = withOptions({ toolset: 'search' }, [
  finds(
    'finds lines in all files, by path',
    { pattern: 'import' },
    source,
    {
      'a.ts': lines([1, 'import a'], [2, 'import b']),
      'docs/guide.md': lines([3, 'How to import.']),
    },
    {
      told: 'a.ts\n1:import a\n2:import b\n\ndocs/guide.md\n3:How to import.\n\n3 matches in 2 files',
    },
  ),
  finds(
    'tells one match in one file as one',
    { pattern: 'Guide' },
    source,
    { 'docs/guide.md': lines([1, '# Guide']) },
    { told: 'docs/guide.md\n1:# Guide\n\n1 match in 1 file' },
  ),
  finds(
    'finds nothing without an error',
    { pattern: 'Import' },
    source,
    {},
    { told: 'No matches in 3 files\n[Try again with ignore_case, hidden or ignored.]' },
  ),
  finds(
    'names what could help only if it was not asked for',
    { pattern: 'a+z', ignore_case: true, hidden: true, ignored: true },
    source,
    {},
    { told: 'No matches in 3 files\n[Try again with literal.]' },
  ),
  finds('ignores case on demand', { pattern: 'GUIDE', ignore_case: true }, source, {
    'docs/guide.md': lines([1, '# Guide']),
  }),
  finds(
    'searches a directory',
    { pattern: 'c', path: 'src' },
    source,
    {
      'src/b.ts': lines([1, 'export const b = 1;'], [2, 'export const c = 2;']),
    },
    { searched: 1 },
  ),
  finds(
    'searches a file',
    { pattern: 'b', path: 'src/b.ts' },
    source,
    {
      'src/b.ts': lines([1, 'export const b = 1;']),
    },
    { searched: 1 },
  ),
  finds(
    'searches what a link leads to',
    { pattern: 'b', path: 'link' },
    source,
    {
      'src/b.ts': lines([1, 'export const b = 1;']),
    },
    { searched: 1, make: { link: linkTo('src/b.ts') } },
  ),
  finds(
    'follows no other link',
    { pattern: 'x' },
    { 'real/a': 'x' },
    { 'real/a': lines([1, 'x']) },
    {
      make: { link: linkTo('real'), 'real/up': linkTo('..'), file: linkTo('real/a') },
    },
  ),
  finds(
    'limits the files by name',
    { pattern: 'import', glob: '*.md' },
    source,
    {
      'docs/guide.md': lines([3, 'How to import.']),
    },
    { searched: 1 },
  ),
  finds(
    'limits them by several patterns',
    { pattern: 'const', glob: '{*.md,src/**}' },
    source,
    {
      'src/b.ts': lines([1, 'export const b = 1;'], [2, 'export const c = 2;']),
    },
    { searched: 2 },
  ),
  finds(
    'excludes files by name',
    { pattern: 'import', glob: '!*.ts' },
    source,
    {
      'docs/guide.md': lines([3, 'How to import.']),
    },
    { searched: 1 },
  ),

  // Lines.
  inFile(
    'splits lines at each kind of separator',
    'ax\nbx\r\ncx\rdx',
    { pattern: 'x' },
    lines([1, 'ax'], [2, 'bx'], [3, 'cx'], [4, 'dx']),
  ),
  inFile('starts no line behind the last separator', 'a\n', { pattern: '^' }, lines([1, 'a'])),
  inFile('finds empty lines', 'a\n\nb\n', { pattern: '^$' }, lines([2, ''])),
  inFile('has no line in an empty file', '', { pattern: '' }, []),
  inFile('matches every line with an empty pattern', 'a\nb', { pattern: '' }, lines([1, 'a'], [2, 'b'])),
  inFile(
    'takes other characters that end lines elsewhere as they are',
    'a\u2028b\u0085c\vd',
    { pattern: '^a[^x]b.c.d$' },
    lines([1, 'a\u2028b\u0085c\vd']),
  ),
  inFile('spans no lines', 'a\nb\n', { pattern: 'a\\s*b' }, []),
  inFile('leaves a byte order mark out of line 1', '\ufeffab\n', { pattern: '^a' }, lines([1, 'ab'])),
  inFile('shows a line of 500 characters whole', 'a'.repeat(500), { pattern: 'a$' }, lines([1, 'a'.repeat(500)])),
  inFile(
    'cuts a long line around its first match',
    long,
    { pattern: 'needle' },
    lines([1, `…${'a'.repeat(247)}needle${'b'.repeat(247)}…`]),
  ),
  inFile(
    'cuts nothing before a match at the start',
    `x${'é'.repeat(600)}`,
    { pattern: 'x' },
    lines([1, `x${'é'.repeat(499)}…`]),
  ),

  // Patterns.
  inFile('takes a pattern as text on demand', 'a.b\naxb\n', { pattern: 'a.b', literal: true }, lines([1, 'a.b'])),
  inFile(
    'takes a regular expression',
    'a1\nb22\nc333\n',
    { pattern: '^[bc]\\d{2,3}$' },
    lines([2, 'b22'], [3, 'c333']),
  ),
  inFile('matches whole code points', '😀\n', { pattern: '^.$' }, lines([1, '😀'])),
  inFile('matches them in sets', '😀\n', { pattern: '^[^x]$' }, lines([1, '😀'])),
  inFile(
    'folds cases of other scripts',
    'ÄÖ\nдом\n',
    { pattern: 'äö|ДОМ', ignore_case: true },
    lines([1, 'ÄÖ'], [2, 'дом']),
  ),
  inFile(
    'takes needless backslashes and a lone brace as they stand',
    'a{-b\n',
    { pattern: 'a{\\-b' },
    lines([1, 'a{-b']),
  ),
  {
    ...inFile(
      'takes no longer for patterns that others do not finish',
      `${'a'.repeat(5000)}b\n`,
      { pattern: '^(a+)+$' },
      [],
    ),
  },
  badPattern('a(?=b)', /uses a lookahead at character 2/),
  badPattern('(?<!a)b', /uses a lookbehind at character 1/),
  badPattern('(a)\\1', /backreference/i),
  badPattern('a(', /./),
  badPattern('[z-a]', /./),
  badPattern('*a', /./),
  badPattern('(?<n>a)(?<n>b)', /second group of the same name at character 8/),
  ...['foo\\nbar', 'a\\r?$', 'a\nb', '\\x0a', '\\u000A', '[\\n]'].map((pattern) =>
    badPattern(
      pattern,
      /has a line break at character \d, and a match never spans lines/,
      /told by view: \[line breaks: /,
    ),
  ),
  {
    ...badPattern('a\nb', /^Invalid params: \/pattern has a line break, and a match never spans lines$/),
    title: 'refuses a text with a line break',
    call: ['grep', { pattern: 'a\nb', literal: true }],
  },
  inFile('finds what is no separator', 'ab\n', { pattern: '^[^\\n]*[^\\r]$' }, lines([1, 'ab'])),
  inFile(
    'takes classes of POSIX',
    '12 apples\nd: apples\n',
    { pattern: '[[:digit:]]+ apples' },
    lines([1, '12 apples']),
  ),
  advises('json\\|tool', '\\| is the character |: for alternatives send |', 'json|tool'),
  advises(
    '\\<main\\>',
    '\\< is the character <: for the start of a word send \\b; \\> is the character >: for the end of a word send \\b',
    '\\bmain\\b',
  ),
  advises('\\(a\\)', '\\( is the character (: for a group send (', '(a)'),
  advises('b\\{2\\}', '\\{ is the character {: for a number of repetitions send {', 'b{2}'),
  advises(
    '\\Ab\\Z',
    '\\A is the letter A: for the start of a line send ^; \\Z is the letter Z: for the end of a line send $',
    '^b$',
  ),
  advises('b\\z', '\\z is the letter z: for the end of a line send $', 'b$'),
  advises('main\\(', '\\( is the character (: for a group send (', undefined),
  finds(
    'advises nothing where something is found',
    { pattern: 'a\\|b' },
    { f: 'a|b' },
    { f: lines([1, 'a|b']) },
    { told: 'f\n1:a|b\n\n1 match in 1 file' },
  ),
  finds(
    'advises nothing about a text',
    { pattern: 'a\\|b', literal: true },
    { f: 'a|b' },
    {},
    {
      told: 'No matches in 1 file\n[Try again with ignore_case, hidden or ignored.]',
    },
  ),
  finds(
    'names only what can help in a single file',
    { pattern: 'Y', path: 'f' },
    { f: 'x' },
    {},
    {
      told: 'No matches in 1 file\n[Try again with ignore_case.]',
    },
  ),
  finds(
    'names nothing if nothing can help',
    { pattern: '12', path: 'f' },
    { f: 'x' },
    {},
    { told: 'No matches in 1 file' },
  ),
  {
    title: 'refuses a wrong glob, which the message names',
    call: ['grep', { pattern: 'a', glob: '*.{js' }],
    error: {
      code: -32602,
      status: 400,
      message: 'Invalid params: /glob has a { without its }',
      details: /\\\{/,
      data: { reason: 'invalid_params' },
    },
  },
  badParameter({ limit: 0 }, '/limit must be a whole number from 1 to 10000'),
  badParameter({ limit: 10_001 }, '/limit must be a whole number from 1 to 10000'),
  badParameter({ context: 11 }, '/context must be a whole number from 0 to 10'),
  badParameter({ mode: 'matches' }, '/mode must be one of "lines", "files", "count"'),
  {
    ...badParameter({ glob: '' }, '/glob must be a string that is not empty'),
    before: { 'f.txt': 'a\n' },
    forgiven: { result: answer({ 'f.txt': lines([1, 'a']) }, 1), after: { 'f.txt': 'a\n' } },
  },

  {
    title: 'says that an absolute glob has to be relative',
    call: ['grep', { pattern: 'a', glob: '/src/*.ts' }],
    error: {
      code: -32602,
      status: 400,
      message: 'Invalid params: /glob begins with a slash',
      details: /relative to path.* send src\/\*\.ts, or \.\/src\/\*\.ts/,
      data: { reason: 'invalid_params' },
    },
  },
  {
    title: 'refuses a list without braces that names nothing',
    before: { 'a.ts': 'x' },
    call: ['grep', { pattern: 'x', glob: '*.js,*.jsx' }],
    error: {
      code: -32602,
      status: 400,
      message: 'Invalid params: /glob matches no file as it stands, and looks like a list',
      details: /^Send \{\*\.js,\*\.jsx\}\.$/,
      data: { reason: 'invalid_params' },
    },
  },
  namesNothing(
    'says what else the glob could name',
    { glob: '*.TS' },
    { 'a.ts': 'x', 'b.ts': 'y' },
    'As it stands the glob matches nothing; 2 files would match with other case, such as a.ts.',
  ),
  namesNothing(
    'finds no file whose name does not match, even if it is the path, and says so',
    { glob: '*.md', path: 'a.ts' },
    { 'a.ts': 'x' },
    'The file that is path does not match *.md: send no glob.',
  ),
  finds(
    'searches hidden files whose dot is written',
    { pattern: 'x', glob: '{.github,src}/**' },
    { '.github/a.yml': 'x', '.x/a': 'x', 'src/.b': 'x', 'src/c': 'x' },
    { '.github/a.yml': lines([1, 'x']), 'src/c': lines([1, 'x']) },
    { searched: 2 },
  ),
  {
    ...namesNothing('takes \\ between names for / if a model sends it', { glob: 'src\\*.ts' }, { 'src/a.ts': 'x' }, ''),
    result: answer({}, 0),
    told: 'src/a.ts\n1:x\n\n1 match in 1 file',
    forgiven: {
      result: answer({ 'src/a.ts': lines([1, 'x']) }, 1),
      after: { 'src/a.ts': 'x' },
      told: 'src/a.ts\n1:x\n\n1 match in 1 file',
    },
  },

  // Context.
  {
    title: 'shows the lines around a match',
    before: { f: '1\n2\nx\n4\n5\n' },
    call: ['grep', { pattern: 'x', context: 1 }],
    result: answer({ f: [{ line: 3, text: 'x', before: ['2'], after: ['4'] }] }, 1),
    told: 'f\n2-2\n3:x\n4-4\n\n1 match in 1 file',
  },
  {
    title: 'shows each of them once to a model',
    before: { f: 'x\nb\nx\nd\ne\nf\nx\n' },
    call: ['grep', { pattern: 'x', context: 1 }],
    result: answer(
      {
        f: [
          { line: 1, text: 'x', before: [], after: ['b'] },
          { line: 3, text: 'x', before: ['b'], after: ['d'] },
          { line: 7, text: 'x', before: ['f'], after: [] },
        ],
      },
      1,
    ),
    told: 'f\n1:x\n2-b\n3:x\n4-d\n6-f\n7:x\n\n3 matches in 1 file',
  },

  // Counts.
  {
    title: 'only counts on demand',
    before: source,
    call: ['grep', { pattern: 'import', mode: 'files' }],
    result: answer({}, 3, {
      files: [
        { path: 'a.ts', count: 2 },
        { path: 'docs/guide.md', count: 1 },
      ],
      total_matches: 3,
      total_files: 2,
    }),
    told: 'a.ts (2)\ndocs/guide.md (1)\n\n3 matches in 2 files',
  },
  {
    title: 'only counts in all on demand, whatever the limit',
    before: source,
    call: ['grep', { pattern: 'import', mode: 'count', limit: 1 }],
    result: answer({}, 3, { total_matches: 3, total_files: 2 }),
    told: '3 matches in 2 files',
  },
  {
    title: 'counts nothing',
    before: source,
    call: ['grep', { pattern: '0', mode: 'count', path: 'a.ts' }],
    result: answer({}, 1),
    told: 'No matches in 1 file',
  },
  {
    title: 'gives the hash of each file on demand',
    before: { f: 'Hello\n' },
    call: ['grep', { pattern: 'H', return_hash: true }],
    result: answer({}, 1, {
      files: [{ path: 'f', count: 1, matches: lines([1, 'Hello']), hash: '2bc390746c92683b' }],
      total_matches: 1,
      total_files: 1,
    }),
  },
  {
    title: 'counts what it leaves out',
    options: { toolset: 'search', maxSize: 1 },
    before: { a: 'x', b: Uint8Array.of(0x78, 0xff), c: 'x'.repeat(1_048_577), d: 'x\0' },
    make: { pipe: makeFifo, folder: aDirectory },
    call: ['grep', { pattern: 'y' }],
    result: answer({}, 2, { skipped: { binary: 1, too_large: 1, unreadable: 0 } }),
    told: 'No matches in 2 files (left out: 1 not text: b; 1 too large: c)\n[Try again with ignore_case, hidden or ignored.]',
  },
  ...(process.getuid?.() === 0
    ? []
    : [
        finds(
          'counts files that it may not read',
          { pattern: 'x' },
          { a: 'x', b: 'x' },
          { a: lines([1, 'x']) },
          {
            searched: 1,
            skipped: { ...nothingSkipped, unreadable: 1 },
            prepare: (directory) => {
              chmodSync(join(directory, 'b'), 0);
            },
          },
        ),
      ]),
  {
    title: 'names the first of what it leaves out, also where something is found',
    before: {
      a: 'x',
      b1: '\0\ufffd',
      ...Object.fromEntries([1, 2, 3, 4].map((n) => [`c${String(n)}`, Uint8Array.of(0xff)])),
    },
    call: ['grep', { pattern: 'x' }],
    result: answer({ a: lines([1, 'x']) }, 2, { skipped: { ...nothingSkipped, binary: 4 } }),
    told: 'a\n1:x\n\n1 match in 1 file (left out: 4 not text: c1, c2, c3 and 1 more)',
  },
  finds(
    'leaves out names that are not UTF-8',
    { pattern: 'x' },
    { a: 'x' },
    { a: lines([1, 'x']) },
    {
      prepare: (directory) => {
        writeFileSync(Buffer.from(`${directory}/\xff.txt`, 'latin1'), 'x');
      },
    },
  ),
  finds(
    'leaves out hidden and ignored files',
    { pattern: 'x' },
    ignoring,
    { 'a.ts': lines([1, 'x']) },
    { searched: 1 },
  ),
  finds(
    'searches them on demand, but not those of git',
    { pattern: 'x', hidden: true, ignored: true },
    ignoring,
    { '.env': lines([1, 'x']), 'a.ts': lines([1, 'x']), 'dist/a.ts': lines([1, 'x']) },
    { searched: 4 },
  ),
  finds(
    'searches an ignored directory that is its path',
    { pattern: 'x', path: 'dist' },
    ignoring,
    { 'dist/a.ts': lines([1, 'x']) },
    { searched: 1 },
  ),
  finds(
    'searches a hidden file that is its path',
    { pattern: 'x', path: '.git/config' },
    ignoring,
    { '.git/config': lines([1, 'x']) },
    { searched: 1 },
  ),

  // Pages.
  paged(
    'cuts after limit, within a file too, and says where to go on',
    { limit: 1 },
    answer({}, 1, {
      files: [fileA({ line: 1, text: 'x' })],
      total_matches: 1,
      total_files: 1,
      truncated: true,
      cursor: cursorOf('lines', 'a', '1'),
    }),
    `a\n1:x\n\n1 match in 1 file\n[More is left. Go on with cursor "${cursorOf('lines', 'a', '1')}".]`,
  ),
  paged(
    'goes on within a file',
    { cursor: cursorOf('lines', 'a', '1') },
    answer({}, 3, { files: [fileA({ line: 2, text: 'x' }), fileC], total_matches: 2, total_files: 2 }),
  ),
  paged(
    'goes on behind a file',
    { cursor: cursorOf('lines', 'a', '2') },
    answer({}, 3, { files: [fileC], total_matches: 1, total_files: 1 }),
  ),
  paged(
    'is not truncated at exactly limit',
    { limit: 3 },
    answer({}, 3, { files: [fileA(...lines([1, 'x'], [2, 'x'])), fileC], total_matches: 3, total_files: 2 }),
  ),
  paged(
    'cuts after so many files if it only counts',
    { limit: 1, mode: 'files' },
    answer({}, 3, {
      files: [{ path: 'a', count: 2 }],
      total_matches: 2,
      total_files: 1,
      truncated: true,
      cursor: cursorOf('files', 'a'),
    }),
    `a (2)\n\n2 matches in 1 file\n[More is left. Go on with cursor "${cursorOf('files', 'a')}".]`,
  ),
  paged(
    'goes on behind those',
    { mode: 'files', cursor: cursorOf('files', 'a') },
    answer({}, 3, { files: [{ path: 'c', count: 1 }], total_matches: 1, total_files: 1 }),
  ),
  paged(
    'goes on where a file was that is gone',
    { cursor: cursorOf('lines', 'b0', '7') },
    answer({}, 1, { files: [fileC], total_matches: 1, total_files: 1 }),
  ),
  paged(
    'says that nothing is behind the last match',
    { cursor: cursorOf('lines', 'c', '1') },
    answer({}, 1),
    'No more matches after this cursor',
  ),
  paged(
    'goes on with other context and limit, hashes, and another spelling of the path',
    { cursor: cursorOf('lines', 'a', '2'), path: './', context: 1, limit: 7, hidden: false },
    answer({}, 3, {
      files: [{ ...fileC, matches: [{ line: 1, text: 'x', before: [], after: [] }] }],
      total_matches: 1,
      total_files: 1,
    }),
  ),
  ...[
    { pattern: 'y' },
    { glob: '*' },
    { literal: true },
    { ignore_case: true },
    { hidden: true },
    { ignored: true },
    { mode: 'count' },
  ].map((other) =>
    badCursor(`refuses a cursor of a search without ${JSON.stringify(other)}`, {
      cursor: cursorOf('lines', 'a', '1'),
      ...other,
    }),
  ),
  badCursor('refuses a cursor that is none', { cursor: 'a' }),
  badCursor('refuses a cursor of the other mode', { cursor: cursorOf('files', 'a') }),
  badCursor('refuses a blank cursor', { cursor: ' ' }),

  // Paths.
  {
    title: 'refuses a file that is no text',
    before: { f: Uint8Array.of(0xff) },
    call: ['grep', { pattern: 'a', path: 'f' }],
    error: pathError('binary_file', 'f', 'Cannot perform text operation on binary file', {
      details: /^A search looks only into UTF-8 text, .*such as UTF-16/,
    }),
  },
  {
    title: 'refuses a file that is too large',
    options: { toolset: 'search', maxSize: 1 },
    before: { f: 'a'.repeat(1_048_577) },
    call: ['grep', { pattern: 'a', path: 'f' }],
    error: pathError('file_too_large', 'f', 'File size 1.1MB exceeds maximum limit 1MB'),
  },
  {
    title: 'refuses what is neither file nor directory',
    make: { pipe: makeFifo },
    call: ['grep', { pattern: 'a', path: 'pipe' }],
    error: pathError('not_a_file', 'pipe', /^./),
  },
  {
    title: 'finds no path',
    before: { 'source/a.ts': '' },
    call: ['grep', { pattern: 'a', path: 'sourse' }],
    error: pathError('file_not_found', 'sourse', 'File not found: sourse', { details: /^Did you mean 'source'\?/ }),
  },
  {
    title: 'refuses a path outside',
    call: ['grep', { pattern: 'a', path: '../' }],
    error: pathError('path_security', '../', 'Path escapes base directory'),
  },
  {
    title: 'refuses a link that leads outside',
    make: { out: linkTo('/') },
    call: ['grep', { pattern: 'a', path: 'out/etc' }],
    error: pathError('path_security', 'out/etc', 'Path escapes base directory', { details: /link/ }),
  },
  {
    title: 'refuses the directory of the server',
    call: ['grep', { pattern: 'a', path: '.file-editor' }],
    error: pathError('path_security', '.file-editor', "'.file-editor' is reserved for the server"),
  },
]);
