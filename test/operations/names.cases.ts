/** Spec 15: suggestions for missing names. */
import { writeFileSync } from 'node:fs';
import type { OperationName } from '../../src/core/operations.js';
import { aDirectory, type Case, type ExpectedError, linkTo, pathError, pathTools } from './case.js';
import { makeFifo } from './special-files.js';

const unicode = { names: 'unicode' };

function flatMissing(name: string, details: RegExp): ExpectedError {
  return { code: -32001, status: 404, message: `File '${name}' not found`, details };
}

/** Every call that names an existing file or directory. */
const uses: readonly ((path: string) => readonly [OperationName, Record<string, unknown>])[] = [
  (path) => ['view', { path }],
  (path) => ['str_replace', { path, old_str: 'a', new_str: 'b' }],
  (path) => ['insert', { path, insert_line: 1, new_str: 'b' }],
  (path) => ['apply_edits', { path, edits: [{ old_string: 'a', new_string: 'b' }] }],
  (path) => ['apply_edits', { path, edits: [{ old_string: 'a', new_string: 'b' }], dry_run: true }],
  (path) => ['delete', { path }],
  (path) => ['rename', { old_path: path, new_path: 'new' }],
];

function missing(what: string, files: readonly string[], path: string, details: RegExp): Case[] {
  return uses.map((use): Case => {
    const [operation, params] = use(path);
    const hint = operation === 'apply_edits' ? '. Check that file exists.' : '';
    return {
      title: `offers ${what}: ${JSON.stringify(params)}`,
      options: pathTools,
      before: Object.fromEntries(files.map((file) => [file, 'a'])),
      call: [operation, params],
      error: pathError('file_not_found', path, `File not found: ${path}${hint}`, { details }),
    };
  });
}

const flat: readonly (readonly [files: readonly string[], asked: string, meant: string])[] = [
  [['README.md'], 'readme.md', "'README.md'"],
  [['README.md'], 'REAMDE.md', "'README.md'"],
  [['README.md'], 'README', "'README.md'"],
  [['README'], 'readme.txt', "'README'"],
  [['main.py', 'main.rs', 'other.ts'], 'main.ts', "'main.rs' or 'main.py'"],
  [['Readme.md', 'README.md', 'readme.mb'], 'readme.md', "'README.md' or 'Readme.md'"],
  [['a1.txt', 'a2.txt', 'a3.txt', 'a4.txt'], 'a.txt', "'a1.txt', 'a2.txt' or 'a3.txt'"],
  [
    ['report-2023.md', 'raport-2024.mt', 'report-2025.md'],
    'report-2024.md',
    "'report-2023.md', 'report-2025.md' or 'raport-2024.mt'",
  ],
];

const flatUnicode: readonly (readonly [file: string, asked: string, meant: string])[] = [
  ['a\u202fb.txt', 'a b.txt', "'a\\u202fb.txt' with U+202F"],
  ['a\u00a0b.txt', 'a\u202fb.txt', "'a\\u00a0b.txt' with U+00A0"],
  ['a b.txt', 'a\u00a0b.txt', "'a b.txt' with U+0020"],
  ['a\u00a0b\u3000c.txt', 'A b c.txt', "'a\\u00a0b\\u3000c.txt' with U+00A0, U+3000"],
  ['cafe\u0301.txt', 'caf\u00e9.txt', "'cafe\\u0301.txt' with U+0301"],
  ['caf\u00e9.txt', 'cafe\u0301.txt', "'caf\\u00e9.txt' with U+00E9"],
  ['\u00c4pfel.md', '\u00e4pfel.md', "'\u00c4pfel.md'"],
  ['STRASSE.md', 'stra\u00dfe.md', "'STRASSE.md'"],
  ['my\u200bnotes.md', 'mynotes.md', "'my\\u200bnotes.md' with U+200B"],
];

const quoted = (text: string): string => text.replaceAll(/[\\.+*?()[\]{}|^$]/g, String.raw`\$&`);

/** What exists instead of the requested name. */
type There = Pick<Case, 'before' | 'make' | 'prepare'>;

const nothingMeant: readonly (readonly [why: string, asked: string, there: There])[] = [
  ['two changes in a name of five letters', 'xy.md', { before: { 'ab.md': '' } }],
  ['three changes', 'readings.md', { before: { 'reading-s-1.md': '' } }],
  ['a hidden file', 'secret.txt', { before: { '.secret.txt': '' } }],
  ['a directory', 'notes', { make: { notes1: aDirectory } }],
  ['a FIFO', 'pipe.txt', { make: { 'pipes.txt': makeFifo } }],
  ['a link that leads outside', 'hosts.txt', { make: { 'host.txt': linkTo('/etc/hosts') } }],
  ['a link in a loop', 'loops.txt', { make: { 'loop.txt': linkTo('loop.txt') } }],
  ['a dangling link', 'links.txt', { make: { 'link.txt': linkTo('nowhere') } }],
  ['the reserved directory', '.file-edito', { make: { '.file-editor': aDirectory } }],
  ['a name that the rule refuses', 'a-b.txt', { before: { 'a b.txt': '' } }],
  [
    'a name that is not UTF-8',
    'a-b.txt',
    {
      prepare: (directory) => {
        writeFileSync(Buffer.concat([Buffer.from(`${directory}/a-b.tx`), Buffer.from([0xff])]), '');
      },
    },
  ],
];

const isDirectory = /^It is a directory\. For files in subdirectories use view/;

export const namesCases: readonly Case[] = [
  ...flat.flatMap(([files, asked, meant]): Case[] => {
    const before = Object.fromEntries(files.map((file) => [file, 'a\n']));
    const details = new RegExp(`^Did you mean ${quoted(meant)}\\? Call list_files `);
    return [
      {
        title: `offers ${meant} for ${asked}`,
        before,
        call: ['read_file', { name: asked }],
        error: flatMissing(asked, details),
      },
      {
        title: `offers ${meant} for ${asked}`,
        before,
        call: ['edit_file', { name: asked, append: 'x' }],
        error: { ...flatMissing(asked, details), message: `File '${asked}' not found and create_if_missing is false` },
      },
    ];
  }),
  ...flatUnicode.map(([file, asked, meant]): Case => ({
    title: `offers ${meant} for ${JSON.stringify(asked)}`,
    options: unicode,
    before: { [file]: 'a\n' },
    call: ['read_file', { name: asked }],
    error: flatMissing(asked, new RegExp(`^Did you mean ${quoted(meant)}\\? `)),
  })),
  ...nothingMeant.map(([why, asked, there]): Case => ({
    title: `does not offer ${why}`,
    ...there,
    call: ['read_file', { name: asked }],
    error: flatMissing(asked, /^Call list_files to see which files exist\.$/),
  })),
  {
    title: 'offers hidden files only for a hidden name, and links that lead to a file inside',
    before: { '.secret.txt': 'a', 'real/a.txt': '' },
    make: { 'secrets.txt': linkTo('real/a.txt') },
    call: ['read_file', { name: '.secrets.txt' }],
    error: flatMissing('.secrets.txt', /^Did you mean '\.secret\.txt' or 'secrets\.txt'\? /),
    after: { '.secret.txt': 'a' },
  },
  {
    title: 'offers the file whose lines were to be changed',
    before: { 'README.md': 'a\n' },
    call: ['edit_file', { name: 'readme.md', edits: [{ line: 1, operation: 'delete' }], create_if_missing: true }],
    error: {
      code: -32602,
      status: 400,
      message: 'Line 1 out of range for delete operation',
      details: /^File 'readme\.md' does not exist\. Did you mean 'README\.md'\? Call list_files /,
    },
  },
  {
    title: 'offers the file whose version was expected',
    before: { 'README.md': 'a\n' },
    call: ['edit_file', { name: 'readme.md', append: 'x', expected_hash: '2d06800538d394c2' }],
    error: {
      code: -32001,
      status: 412,
      message: "File 'readme.md' has changed",
      details: /^Nothing was written: there is no file of this name\. Did you mean 'README\.md'\? Call list_files /,
    },
  },
  ...(['read_file', 'edit_file'] as const).map((operation): Case => ({
    title: 'identifies a directory as one',
    before: {},
    make: { notes: aDirectory },
    call: [operation, { name: 'notes' }],
    error: { code: -32001, status: 400, message: "'notes' is not a regular file", details: isDirectory },
  })),
  {
    title: 'identifies a directory behind a link as one',
    make: { here: linkTo('.') },
    call: ['read_file', { name: 'here' }],
    error: { code: -32001, status: 400, message: "'here' is not a regular file", details: isDirectory },
  },
  {
    title: 'identifies nothing else as a directory',
    make: { pipe: makeFifo },
    call: ['read_file', { name: 'pipe' }],
    error: { code: -32001, status: 400, message: "'pipe' is not a regular file", details: /^Only regular text files / },
  },

  ...missing('a name in other case', ['README.md'], 'readme.md', /^Did you mean 'README\.md'\? Check the path/),
  ...missing(
    'a name in a directory',
    ['notes/today.md', 'tody.md'],
    'notes/tody.md',
    /^Did you mean 'today\.md' in 'notes'\? /,
  ),
  ...missing(
    'a name with other spaces',
    ['n/a\u202fb.txt'],
    'n/a b.txt',
    /^Did you mean 'a\\u202fb\.txt' with U\+202F in 'n'\? /,
  ),
  ...missing(
    'the directory on the way',
    ['notes/today.md', 'note.md'],
    'Note/today.md',
    /^There is no directory 'Note' in the working directory\. Did you mean 'notes'\? /,
  ),
  ...missing(
    'the nearest directory that is there',
    ['a/b/deep/x.md'],
    'a/b/dep/c/x.md',
    /^There is no directory 'dep' in 'a\/b'\. Did you mean 'deep'\? /,
  ),
  ...missing(
    'nothing, but says where the way ends',
    ['a/x.md'],
    'a/other/x.md',
    /^There is no directory 'other' in 'a'\. Check the path/,
  ),
  ...missing(
    'the directory on the way back',
    ['notes/x.md', 'x.md'],
    'nots/../x.md',
    /^There is no directory 'nots' in the working directory\. Did you mean 'notes'\? /,
  ),
  {
    title: 'offers only directories for a path that ends as one',
    options: pathTools,
    before: { 'notes/a.md': '', 'note.s': '' },
    call: ['view', { path: 'note/' }],
    error: pathError('file_not_found', 'note/', 'File not found: note/', {
      details: /^Did you mean 'notes'\? /,
    }),
  },
  {
    title: 'offers files before directories, and directories only to operations that take one',
    options: pathTools,
    before: { 'draft1/a.md': '', draft2: '' },
    call: ['view', { path: 'draft' }],
    error: pathError('file_not_found', 'draft', 'File not found: draft', {
      details: /Did you mean 'draft2' or 'draft1'\? /,
    }),
  },
  {
    title: 'offers files before directories, and directories only to operations that take one',
    options: pathTools,
    before: { 'draft1/a.md': '', draft2: '' },
    call: ['str_replace', { path: 'draft', old_str: 'a', new_str: 'b' }],
    error: pathError('file_not_found', 'draft', 'File not found: draft', { details: /Did you mean 'draft2'\? / }),
  },
  ...['ab.txt', 'c-xyz.md'].map((path): Case => ({
    title: `offers no name that is invalid in a path for ${path}`,
    options: pathTools,
    before: { 'a\\b.txt': '', 'c:xyz.md': '' },
    call: ['view', { path }],
    error: pathError('file_not_found', path, `File not found: ${path}`, {
      details: /^Check the path/,
    }),
  })),
  {
    title: 'says that the file with the expected version is gone, and what else exists',
    options: pathTools,
    before: { 'notes/a.md': '' },
    call: ['delete', { path: 'note/a.md', expected_hash: '2d06800538d394c2' }],
    error: pathError('conflict', 'note/a.md', "File 'note/a.md' has changed", {
      status: 412,
      details:
        /^Nothing was written: no file is at this path\. There is no directory 'note' in the working directory\. Did you mean 'notes'\? /,
    }),
  },
];
