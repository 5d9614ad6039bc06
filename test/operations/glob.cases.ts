import type { Params } from '../../src/core/operations.js';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aDirectory, type Case, type Files, linkTo, pathError, withOptions } from './case.js';
import { searchFor } from '../../workers/operations/found-files.js';
import { cursorOf } from '../../workers/search/cursor.js';
import { makeFifo } from './special-files.js';

/** 2025-06-04T10:30:00.500Z: time stamps have milliseconds. */
const time = 1_749_033_000.5;
const modified = '2025-06-04T10:30:00.500Z';

const stampAll =
  (files: Files) =>
  (directory: string): void => {
    for (const path of Object.keys(files)) utimesSync(join(directory, path), time, time);
  };

/** A call that finds these paths. */
const finds = (
  title: string,
  params: Readonly<Record<string, unknown>>,
  before: Files,
  paths: readonly string[],
  more: Partial<Case> = {},
): Case => ({
  title,
  before,
  call: ['glob', params],
  ...more,
  prepare: (directory) => {
    stampAll(before)(directory);
    more.prepare?.(directory);
  },
  result: {
    files: paths.map((path) => ({ path, size: Buffer.from(before[path] ?? '').length, modified })),
    total: paths.length,
    truncated: false,
  },
});

const tree: Files = {
  'a.ts': 'one',
  'a-b/c.ts': '',
  'a/b.ts': '',
  'a/deep/er/b.ts': '',
  'a/readme.md': '# A',
  'src/index.js': '',
  'src/index.ts': '',
};

/** What finds which of `tree`. */
const patterns: readonly (readonly [pattern: string, ...paths: readonly string[]])[] = [
  ['*.md', 'a/readme.md'],
  ['b.ts', 'a/b.ts', 'a/deep/er/b.ts'],
  ['a/*.ts', 'a/b.ts'],
  ['./*.ts', 'a.ts'],
  ['a/**/*.ts', 'a/b.ts', 'a/deep/er/b.ts'],
  ['**/deep/**', 'a/deep/er/b.ts'],
  ['**/b.ts', 'a/b.ts', 'a/deep/er/b.ts'],
  ['a/**', 'a/b.ts', 'a/deep/er/b.ts', 'a/readme.md'],
  ['src/index.?s', 'src/index.js', 'src/index.ts'],
  ['src/index.[a-j]s', 'src/index.js'],
  ['src/index.[!a-j]s', 'src/index.ts'],
  ['src/*.{js,md}', 'src/index.js'],
  ['{src/*.js,*.md}', 'a/readme.md', 'src/index.js'],
  ['{a,src}/{b,index}.ts', 'a/b.ts', 'src/index.ts'],
  ['!*.ts', 'a/readme.md', 'src/index.js'],
  ['!a/**', 'a-b/c.ts', 'a.ts', 'src/index.js', 'src/index.ts'],
  ['a', ...[]],
];

const faults: readonly (readonly [pattern: string, problem: string, advice: RegExp])[] = [
  ['!', 'names nothing', /\*\*\/\*/],
  ['src/[a-z', 'has a [ without its ]', /\\\[/],
  ['*.[z-a]', 'has a range that runs backwards', /\[a-z\]/],
  ['*.[[:vowel:]]', 'has an unknown class of characters', /\[a-z\]/],
  ['*.{js,ts', 'has a { without its }', /\\\{/],
  ['src\\', 'ends with a backslash', /\//],
  ['/src/*.ts', 'begins with a slash', /\.\//],
  ['src/', 'ends with a slash', /\*\*/],
  ['../*.ts', 'leads upwards with ..', /path/],
  ['a'.repeat(4097), 'is longer than 4096 bytes', /shorter/],
  ['{a,b}'.repeat(10), 'stands for more than 1000 patterns', /several calls/],
  [`{${'{a,b}'.repeat(9)},${'{a,b}'.repeat(9)}}`, 'stands for more than 1000 patterns', /several calls/],
  [`${'{a,b}'.repeat(9)}${'*a'.repeat(100)}`, 'stands for patterns that are too long together', /several calls/],
];

const list = 'matches no file as it stands, and looks like a list';
const expression = 'is a regular expression, not a glob';
const extended = 'has an extended glob, which is not supported';
/** What is refused though it could be read as it stands, and what to send. */
const meant: readonly (readonly [pattern: string, problem: string, advice: RegExp])[] = [
  ['!(a)', extended, /^Send !a for all other files\. /],
  ['!(a).py', extended, /^Send \*\.py, and pass over a\.py\. /],
  ['*.@(js|ts)', extended, /^Send \*\.\{js,ts\}\. /],
  ['src/+(a)/*', extended, /^Send src\/a\/\*, or src\/\*\/\*\. /],
  ['{*.ts,!*.d.ts}', 'has a ! inside of braces', /^Send \*\.ts, and pass over \*\.d\.ts: /],
  ['{!a,!b}', 'has a ! inside of braces', /^Send !\{a,b\}\. /],
  ['f{1..3}.ts', 'counts in braces, which is not supported', /f\{1,2,3\}\.ts\.$/],
  ['{c..a}', 'counts in braces, which is not supported', /\{c,b,a\}\.$/],
  ['{1..99}', 'counts in braces, which is not supported', /\{1,…,99\}\.$/],
  ['*.ts,*.tsx', list, /^Send \{\*\.ts,\*\.tsx\}\.$/],
  ['*.ts, !*.d.ts', list, /^Send \*\.ts, and pass over \*\.d\.ts: /],
  ['*.ts *.tsx', list, /^Send \{\*\.ts,\*\.tsx\}\.$/],
  ['*.ts|*.tsx', list, /^Send \{\*\.ts,\*\.tsx\}\.$/],
  ['*.(ts|tsx)', list, /^Send \*\.\{ts,tsx\}\.$/],
  ['!*.ts,*.tsx', 'is a list without braces', /^Send !\{\*\.ts,\*\.tsx\}\.$/],
  ['.*\\.ts$', expression, /^Send \*\.ts\.$/],
  ['^src/.*\\.tsx?$', expression, /^Send src\/\*\*\/\*\.ts\{,x\}\.$/],
  ['\\w+\\.(js|ts)', expression, /^Send \*\.\{js,ts\}\.$/],
  ['^(?!x).*$', expression, /^Use \* for any characters/],
  ['.*\\.ts', 'matches no file as it stands, and looks like a regular expression', /^Send \*\.ts\.$/],
];

const composed = 'caf\u00e9.md';
/** What else would match, if a glob matches nothing. */
const notes: readonly (readonly [title: string, params: Params['glob'], before: Files, note: string])[] = [
  [
    'counts hidden files',
    { pattern: '*.yml' },
    { '.a.yml': '', '.b/c.yml': '', d: '' },
    '2 files would match with hidden: true',
  ],
  [
    'counts ignored files',
    { pattern: '*.log' },
    { '.gitignore': 'x/\n', 'x/y/a.log': '' },
    '1 file would match with ignored: true',
  ],
  [
    'counts what is both',
    { pattern: '*.log' },
    { '.gitignore': '.x\n', '.x/a.log': '' },
    '1 file would match with hidden: true and ignored: true',
  ],
  [
    'counts other case',
    { pattern: 'SRC/*.TS' },
    { 'src/A.ts': '', 'src/b.ts': '', '.src/c.ts': '' },
    '2 files would match with other case, such as src/A.ts',
  ],
  [
    'counts another form',
    { pattern: composed.normalize('NFD') },
    { [composed]: '', 'x/b.md': '' },
    '1 file would match in another Unicode form',
  ],
  [
    'counts other case of a negated pattern only where names are shown',
    { pattern: '!{*.md,*.TXT,*.patch}' },
    { '.env': '', '.b': '', 'a.md': '' },
    '2 files would match with hidden: true',
  ],
  [
    'counts from the root',
    { pattern: 'src/*.ts', path: 'src' },
    { 'src/a.ts': '', 'src/b.ts': '' },
    '2 files would match from the root instead of path',
  ],
  [
    'counts all of them',
    { pattern: 'b/*.md', path: 'b' },
    { 'b/a.md': '', 'b/b/.c.md': '', 'b/b/d.MD': '', 'b/B/e.md': '' },
    '1 file would match with hidden: true; 2 files with other case, such as b/B/e.md; 1 file from the root instead of path',
  ],
];

const listed = { 'a.md': '', 'b.md': 'b', 'c.md': '', 'd.txt': '' };
const cursorOfPath = (path: string): string => cursorOf(searchFor({ pattern: '*.md' }), [path]);
const cursorOfTime = (ns: string, path: string): string =>
  cursorOf(searchFor({ pattern: '*.md', sort: 'modified' }), [ns, path]);
const page = (paths: readonly string[], more: object): Record<string, unknown> => ({
  files: paths.map((path) => ({ path, size: path === 'b.md' ? 1 : 0, modified })),
  total: 3,
  ...more,
});
const paged = (title: string, params: object, result: Record<string, unknown>, told?: string): Case => ({
  title,
  before: listed,
  prepare: stampAll(listed),
  call: ['glob', { pattern: '*.md', ...params }],
  result,
  ...(told === undefined ? {} : { told }),
});

/** Seconds after `time`. */
const ages = { 'new.md': 2, 'deep/newest.md': 3, 'b.md': 1, 'a.md': 1, 'old.md': 0 };
const newestFirst = ['deep/newest.md', 'new.md', 'a.md', 'b.md', 'old.md'] as const;
const aged = (title: string, params: object, from: number, to: number, more: object): Case => ({
  title,
  before: Object.fromEntries(Object.keys(ages).map((path) => [path, ''])),
  prepare: (directory) => {
    for (const [path, age] of Object.entries(ages)) utimesSync(join(directory, path), time + age, time + age);
  },
  call: ['glob', { pattern: '*.md', sort: 'modified', ...params }],
  result: {
    files: newestFirst
      .slice(from, to)
      .map((path) => ({ path, size: 0, modified: modified.replace('00.5', `0${String(ages[path])}.5`) })),
    total: 5,
    ...more,
  },
});

const badCursor = (title: string, params: object): Case => ({
  title,
  before: listed,
  call: ['glob', { pattern: '*.md', ...params }],
  error: {
    code: -32602,
    status: 400,
    message: 'Invalid params: /cursor belongs to no answer of this search',
    details: /^Send the cursor of the last answer unchanged/,
    data: { reason: 'invalid_params' },
  },
});

const badLimit = (limit: unknown): Case => ({
  title: `refuses ${JSON.stringify(limit)} as a limit`,
  call: ['glob', { pattern: '*', limit }],
  error: {
    code: -32602,
    status: 400,
    message: 'Invalid params: /limit must be a whole number from 1 to 100000',
    data: { reason: 'invalid_params' },
  },
});

const hiddenTree = {
  '.env': '',
  '.config/a.ts': '',
  'a.ts': '',
  'src/.b.ts': '',
  '.git/config.ts': '',
  '.github/a.ts': '',
};
const ignoring = {
  '.gitignore': 'dist/\n*.log\n!keep.log\n',
  'a.ts': '',
  'x.log': '',
  'keep.log': '',
  'dist/a.ts': '',
  'dist/y.log': '',
  'src/.gitignore': '/gen.ts\n',
  'src/gen.ts': '',
  'src/deep/gen.ts': '',
};

/** What finds which of `hiddenTree` without `hidden`. */
const dotted: readonly (readonly [pattern: string, ...paths: readonly string[]])[] = [
  ['.github/**/*.ts', '.github/a.ts'],
  ['{.github,src}/**', '.github/a.ts'],
  ['.*', '.env', 'src/.b.ts'],
  ['\\.env', '.env'],
  ['src/.*', 'src/.b.ts'],
  ['.*/a.ts', '.config/a.ts', '.github/a.ts'],
  ['**/.b.ts', 'src/.b.ts'],
];

export const globCases: readonly Case[] = withOptions({ toolset: 'search' }, [
  ...patterns.map(([pattern, ...paths]) => finds(`finds ${pattern}`, { pattern }, tree, paths)),
  finds(
    'lists all files by the code points of the whole path',
    { pattern: '*' },
    tree,
    ['a-b/c.ts', 'a.ts', 'a/b.ts', 'a/deep/er/b.ts', 'a/readme.md', 'src/index.js', 'src/index.ts'],
    { told: 'a-b/c.ts\na.ts\na/b.ts\na/deep/er/b.ts\na/readme.md\nsrc/index.js\nsrc/index.ts\n7 files' },
  ),
  finds('tells one file as one', { pattern: '*.md' }, tree, ['a/readme.md'], { told: 'a/readme.md\n1 file' }),
  finds('finds nothing without an error', { pattern: '*.py' }, tree, [], { told: '0 files' }),
  finds(
    'orders astral names after those that UTF-16 would put after them',
    { pattern: '*' },
    { '\u{1F600}': '', '\uff5e': '' },
    ['\uff5e', '\u{1F600}'],
  ),
  finds('takes one code point for a question mark', { pattern: '?.md' }, { 'é.md': '', '😀.md': '', 'ab.md': '' }, [
    'é.md',
    '😀.md',
  ]),
  finds('takes a wildcard behind a backslash as it stands', { pattern: '\\*.md' }, { '*.md': '', 'a.md': '' }, [
    '*.md',
  ]),
  finds(
    'takes parentheses as they stand, and braces of templates',
    { pattern: '{{a}}/(b)/*' },
    { '{{a}}/(b)/c': '', 'a/b/c': '' },
    ['{{a}}/(b)/c'],
  ),
  finds('takes ?(a) and *(a) as they stand', { pattern: '{?(a),*(b|c)}' }, { 'x(a)': '', a: '', 'y(b|c)': '', b: '' }, [
    'x(a)',
    'y(b|c)',
  ]),
  finds('takes braces around one for what is in them', { pattern: '*.{ts}' }, tree, [
    'a-b/c.ts',
    'a.ts',
    'a/b.ts',
    'a/deep/er/b.ts',
    'src/index.ts',
  ]),
  finds('matches below path', { pattern: '*/b.ts', path: 'a' }, { ...tree, 'a/x/b.ts': '' }, ['a/x/b.ts']),
  ...['a', 'a/', './a', 'src/../a', 'a/.'].map((path) =>
    finds(`takes ${JSON.stringify(path)} for the directory to search`, { pattern: '*.md', path }, tree, [
      'a/readme.md',
    ]),
  ),
  ...['', '.', './'].map((path) =>
    finds(`takes ${JSON.stringify(path)} for the working directory`, { pattern: '*.md', path }, tree, ['a/readme.md']),
  ),
  finds('searches the directory that a link leads to', { pattern: '*', path: 'link' }, { 'real/a': '' }, ['real/a'], {
    make: { link: linkTo('real') },
  }),
  finds('follows no other link', { pattern: '**' }, { 'real/a': '' }, ['real/a'], {
    make: { link: linkTo('real'), 'real/up': linkTo('..'), file: linkTo('real/a'), nowhere: linkTo('none') },
  }),
  finds(
    'finds files of any content, and nothing but files',
    { pattern: '*' },
    { bytes: Uint8Array.of(0xff, 0) },
    ['bytes'],
    {
      make: { pipe: makeFifo, folder: aDirectory },
    },
  ),
  finds('leaves out names that are not UTF-8', { pattern: '**' }, { a: '' }, ['a'], {
    prepare: (directory) => {
      writeFileSync(Buffer.from(`${directory}/\xff.txt`, 'latin1'), '');
    },
  }),
  finds('leaves out hidden names', { pattern: '**' }, hiddenTree, ['a.ts']),
  finds(
    'finds hidden names on demand, but not those of git and of the server',
    { pattern: '**', hidden: true },
    hiddenTree,
    ['.config/a.ts', '.env', '.github/a.ts', 'a.ts', 'src/.b.ts'],
    { make: { '.file-editor': aDirectory } },
  ),
  ...dotted.map(([pattern, ...paths]) => finds(`finds ${pattern}, hidden or not`, { pattern }, hiddenTree, paths)),
  ...meant.map(([pattern, problem, details]): Case => ({
    title: `refuses ${pattern}, since it ${problem}`,
    before: { 'a.py': '' },
    call: ['glob', { pattern }],
    error: {
      code: -32602,
      status: 400,
      message: `Invalid params: /pattern ${problem}`,
      details,
      data: { reason: 'invalid_params' },
    },
  })),
  finds(
    'takes what looks like a list as it stands, if a file is called so',
    { pattern: '* b, c*|*.ts' },
    { 'a b, c|.ts': '' },
    ['a b, c|.ts'],
  ),
  ...notes.map(([title, params, before, note]): Case => ({
    ...finds(title, params, before, []),
    result: { files: [], total: 0, truncated: false, note: `As it stands the glob matches nothing; ${note}.` },
    told: `0 files\n[As it stands the glob matches nothing; ${note}.]`,
  })),
  {
    ...finds('takes \\ between names for / if a model sends it', { pattern: '.\\src\\*.js' }, tree, []),
    forgiven: {
      result: {
        files: [{ path: 'src/index.js', size: 0, modified }],
        total: 1,
        truncated: false,
      },
      after: tree,
      told: 'src/index.js\n1 file',
    },
  },
  finds('takes it as ever if a file is called so', { pattern: 'src\\*.js' }, { 'src*.js': '', 'src/a.js': '' }, [
    'src*.js',
  ]),
  finds('searches a hidden directory that is its path', { pattern: '**', path: '.config' }, hiddenTree, [
    '.config/a.ts',
  ]),
  finds('searches the files of git if its path is there', { pattern: '**', path: '.git' }, hiddenTree, [
    '.git/config.ts',
  ]),
  finds('leaves out what is ignored', { pattern: '**' }, ignoring, ['a.ts', 'keep.log', 'src/deep/gen.ts']),
  finds('finds what is ignored on demand', { pattern: '**', ignored: true }, ignoring, [
    'a.ts',
    'dist/a.ts',
    'dist/y.log',
    'keep.log',
    'src/deep/gen.ts',
    'src/gen.ts',
    'x.log',
  ]),
  finds(
    'searches an ignored directory that is its path, and still leaves out other ignored files',
    { pattern: '**', path: 'dist' },
    ignoring,
    ['dist/a.ts'],
  ),
  finds('heeds the rules above its path', { pattern: '**', path: 'src/deep' }, { ...ignoring, 'src/deep/z.log': '' }, [
    'src/deep/gen.ts',
  ]),
  finds('heeds no rules in a link', { pattern: '**' }, { rules: 'a.ts', 'a.ts': '' }, ['a.ts', 'rules'], {
    make: { '.gitignore': linkTo('rules') },
  }),
  paged(
    'cuts after limit, and says where to go on',
    { limit: 2 },
    page(['a.md', 'b.md'], { truncated: true, cursor: cursorOfPath('b.md') }),
    `a.md\nb.md\n3 files\n[Only 2 of them are above. Go on with cursor "${cursorOfPath('b.md')}".]`,
  ),
  paged('goes on after a cursor', { limit: 2, cursor: cursorOfPath('b.md') }, page(['c.md'], { truncated: false })),
  paged(
    'goes on where a file was that is gone',
    { cursor: cursorOfPath('b') },
    page(['b.md', 'c.md'], { truncated: false }),
  ),
  paged('is not truncated at exactly limit', { limit: 3 }, page(['a.md', 'b.md', 'c.md'], { truncated: false })),
  paged(
    'says that nothing is behind the last file',
    { cursor: cursorOfPath('z') },
    page([], { truncated: false }),
    'No more files after this cursor',
  ),
  ...[{ pattern: '*' }, { hidden: true }, { ignored: true }].map((other) =>
    badCursor(`refuses a cursor of a search without ${JSON.stringify(other)}`, {
      cursor: cursorOfPath('b.md'),
      ...other,
    }),
  ),
  aged('lists the newest first, and those of the same time by path', {}, 0, 5, { truncated: false }),
  aged('cuts the newest', { limit: 3 }, 0, 3, { truncated: true, cursor: cursorOfTime('1749033001500000000', 'a.md') }),
  aged(
    'goes on between files of the same time',
    { limit: 3, cursor: cursorOfTime('1749033001500000000', 'a.md') },
    3,
    5,
    { truncated: false },
  ),
  badCursor('refuses a cursor that is none', { cursor: 'b.md' }),
  badCursor('refuses a cursor of another order', { cursor: cursorOfPath('b.md'), sort: 'modified' }),
  badCursor('refuses a blank cursor', { cursor: ' ' }),
  ...[0, 100_001, 1.5].map(badLimit),
  ...faults.map(([pattern, problem, details]): Case => ({
    title: `refuses ${pattern.slice(0, 20)}: it ${problem}`,
    call: ['glob', { pattern }],
    error: {
      code: -32602,
      status: 400,
      message: `Invalid params: /pattern ${problem}`,
      details,
      data: { reason: 'invalid_params' },
    },
  })),
  {
    title: 'refuses an empty pattern',
    call: ['glob', { pattern: '' }],
    error: {
      code: -32602,
      status: 400,
      message: 'Invalid params: /pattern must be a string that is not empty',
      data: { reason: 'invalid_params' },
    },
  },
  {
    title: 'refuses a file as the directory to search',
    before: { 'a.ts': '' },
    call: ['glob', { pattern: '*', path: 'a.ts' }],
    error: pathError('not_a_directory', 'a.ts', 'Not a directory: a.ts', { details: /its name as the pattern/ }),
  },
  {
    title: 'finds no directory',
    before: { 'source/a.ts': '' },
    call: ['glob', { pattern: '*', path: 'sourse' }],
    error: pathError('file_not_found', 'sourse', 'File not found: sourse', { details: /^Did you mean 'source'\?/ }),
  },
  {
    title: 'refuses a directory outside',
    call: ['glob', { pattern: '*', path: '../' }],
    error: pathError('path_security', '../', 'Path escapes base directory'),
  },
  {
    title: 'refuses a link that leads outside',
    make: { out: linkTo('/') },
    call: ['glob', { pattern: '*', path: 'out/etc' }],
    error: pathError('path_security', 'out/etc', 'Path escapes base directory', { details: /link/ }),
  },
  {
    title: 'refuses the directory of the server',
    call: ['glob', { pattern: '*', path: '.file-editor' }],
    error: pathError('path_security', '.file-editor', "'.file-editor' is reserved for the server"),
  },
]);
