/** Several files in one view (spec 17). Pages and limits: test/fronts/view-several.test.ts. */
import { aDirectory, type Case, invalidParams, linkTo, lowLimits, pathError, pathTools, withOptions } from './case.js';
import { makeFifo } from './special-files.js';

const text = (path: string, content: string): Record<string, unknown> => ({
  path,
  type: 'file',
  content,
  encoding: 'utf-8',
  size: Buffer.byteLength(content),
});
const lines = (
  path: string,
  content: string,
  range: { start_line?: number; end_line?: number },
  [size, total]: readonly [number, number],
): Record<string, unknown> => ({ ...text(path, content), size, total_lines: total, range_requested: range });
const failure = (path: string, reason: string, message: string, details: string): Record<string, unknown> => ({
  path,
  error: { reason, message, details },
});
const files = (...each: readonly Record<string, unknown>[]): Record<string, unknown> => ({
  type: 'files',
  files: each,
  truncated: false,
});

const [check, view] = [
  'Check the path: look into the directory above it to see what is there.',
  'View the directory, then choose one of its files.',
];

export const viewSeveralCases: readonly Case[] = withOptions(pathTools, [
  {
    title: 'gives several files in the order of the request, whole or in part',
    before: {
      'src/a.ts': 'one\ntwo\nthree\n',
      'src/ü.ts': 'é\r\nend',
      empty: '',
      'logo.png': Uint8Array.of(0x89, 0xff),
    },
    call: [
      'view',
      {
        files: [
          { path: 'src/ü.ts' },
          { path: 'src/a.ts', start_line: 2, end_line: 2 },
          { path: 'empty' },
          { path: 'src/a.ts' },
          { path: 'logo.png' },
          { path: 'src/../src/a.ts', end_line: 1 },
        ],
      },
    ],
    result: files(
      text('src/ü.ts', 'é\r\nend'),
      lines('src/a.ts', 'two\n', { start_line: 2, end_line: 2 }, [14, 3]),
      text('empty', ''),
      text('src/a.ts', 'one\ntwo\nthree\n'),
      { path: 'logo.png', type: 'file', content: 'if8=', encoding: 'base64', size: 2 },
      lines('src/../src/a.ts', 'one\n', { end_line: 1 }, [14, 3]),
    ),
    told: [
      '==> src/ü.ts <==\né\r\nend\n[line breaks: \\r\\n; no line break at the end]\n',
      '==> src/a.ts (lines 2-2 of 3) <==\ntwo\n',
      '==> empty <==\n(empty file)\n',
      '==> src/a.ts <==\none\ntwo\nthree\n',
      '==> logo.png <==\n(base64 of 2 bytes)\nif8=\n',
      '==> src/../src/a.ts (lines 1-1 of 3) <==\none\n',
    ].join('\n'),
  },
  {
    title: 'lets each of several files fail alone, with what a view of it alone would say',
    before: { 'a.txt': 'one\n', bytes: Uint8Array.of(0xff, 0x0a), 'src/b.ts': 'x' },
    make: { pipe: makeFifo, out: linkTo('/etc/passwd'), '.file-editor': aDirectory },
    call: [
      'view',
      {
        files: [
          { path: 'none.txt' },
          { path: 'src' },
          { path: '' },
          { path: 'a.txt/' },
          { path: 'pipe' },
          { path: '../a.txt' },
          { path: 'out' },
          { path: '.file-editor/x' },
          { path: 'a.txt', start_line: 3 },
          { path: 'none.txt', start_line: 3, end_line: 2 },
          { path: 'bytes', end_line: 1 },
          { path: 'a.txt' },
        ],
      },
    ],
    result: files(
      failure('none.txt', 'file_not_found', 'File not found: none.txt', check),
      failure('src', 'is_directory', 'Path is a directory: src', view),
      failure('', 'is_directory', 'Path is a directory: ', view),
      failure(
        'a.txt/',
        'not_a_directory',
        'Not a directory: a.txt/',
        "The path ends like a directory's, but names a file or link: drop everything after its name.",
      ),
      failure(
        'pipe',
        'not_a_file',
        'Not a regular file: pipe',
        'Only files, directories and symbolic links can be used; choose another path.',
      ),
      failure(
        '../a.txt',
        'path_security',
        'Path escapes base directory',
        'The path leaves the working directory with "..". Send one that stays below it throughout.',
      ),
      failure(
        'out',
        'path_security',
        'Path escapes base directory',
        'A symbolic link on this path leads outside the working directory. Use another path.',
      ),
      failure('.file-editor/x', 'path_security', "'.file-editor' is reserved for the server", 'Use another name.'),
      failure(
        'a.txt',
        'invalid_line_number',
        'Start line 3 exceeds file length 1',
        'Read again from a line that exists: the file has lines 1 to 1, start_line must be one of them.',
      ),
      failure(
        'none.txt',
        'invalid_line_number',
        'Invalid line range: start 3 > end 2',
        'Send a start_line that is not greater than end_line, or leave one of them out.',
      ),
      failure(
        'bytes',
        'invalid_params',
        'Invalid params: start_line and end_line are for texts, not for bytes that are not UTF-8',
        'Leave them out to get all of them in base64.',
      ),
      text('a.txt', 'one\n'),
    ),
  },
  {
    title: 'tells a model in the place of each of several files why it is not there',
    before: { 'a.txt': 'one\n' },
    call: ['view', { files: [{ path: 'none.txt' }, { path: 'a.txt' }] }],
    result: files(failure('none.txt', 'file_not_found', 'File not found: none.txt', check), text('a.txt', 'one\n')),
    told: `==> none.txt <==\nError: File not found: none.txt\n${check}\n\n==> a.txt <==\none\n`,
  },
  {
    title: 'adds the hash of each of several files on demand',
    before: { 'a.txt': 'text\n', bytes: Uint8Array.of(0xff) },
    call: ['view', { files: [{ path: 'a.txt' }, { path: 'none' }, { path: 'bytes' }], return_hash: true }],
    result: files(
      { ...text('a.txt', 'text\n'), hash: 'c2db14294a01dbb9' },
      failure('none', 'file_not_found', 'File not found: none', check),
      { path: 'bytes', type: 'file', content: '/w==', encoding: 'base64', size: 1, hash: 'd6bcec3c6b29d72e' },
    ),
  },
  {
    title: 'refuses only the one of several files that is larger than the limit, or has more lines',
    options: lowLimits,
    before: { large: new Uint8Array(1_048_577), long: '1\n2\n3', short: '1\n' },
    call: ['view', { files: [{ path: 'large' }, { path: 'long' }, { path: 'short' }] }],
    result: files(
      failure(
        'large',
        'file_too_large',
        'File size 1.1MB exceeds maximum limit 1MB',
        'Work with a smaller file, or ask for the server to be restarted with a larger --max-size.',
      ),
      failure(
        'long',
        'file_too_large',
        'File has 3 lines, exceeds maximum 2',
        'Work with a file of fewer lines, or ask for the server to be restarted with a larger --max-lines.',
      ),
      text('short', '1\n'),
    ),
  },
  {
    title: 'refuses a path and bounds beside several files',
    before: { 'a.txt': 'one\n' },
    call: ['view', { path: 'a.txt', end_line: 1, files: [{ path: 'a.txt' }] }],
    error: pathError('invalid_params', 'a.txt', 'Invalid params: /path must not be beside files (and 1 more)', {
      details: /^Leave it out: each item of files has a path and bounds of its own\. The same holds for \/end_line\. /,
    }),
  },
  {
    title: 'needs a path or several files',
    call: ['view', { return_hash: true }],
    error: {
      ...invalidParams('Invalid params: /path is required', /^Expected a string, or files for several files\./),
      data: { reason: 'invalid_params' },
    },
  },
  {
    title: 'refuses a list of no files',
    call: ['view', { files: [] }],
    error: {
      ...invalidParams(/^Invalid params: \/files must be an array of 1 to 50 items/),
      data: { reason: 'invalid_params' },
    },
  },
  {
    title: 'refuses more than 50 files',
    call: ['view', { files: Array.from({ length: 51 }, () => ({ path: 'a.txt' })) }],
    error: pathError('invalid_params', 'a.txt', 'Invalid params: /files must hold at most 50 items'),
  },
  {
    title: 'refuses what is no path of a file',
    call: ['view', { files: [{ path: 'a.txt' }, { path: 7, lines: 1 }] }],
    error: pathError('invalid_params', 'a.txt', /^Invalid params: \/files\/1\//),
  },
  {
    title: 'refuses a line that is none for any of several files',
    call: ['view', { files: [{ path: 'a.txt' }, { path: 'b.txt', start_line: 0 }] }],
    error: pathError('invalid_line_number', 'a.txt', 'Line numbers must be positive integers', {
      details: /\/files\/1\/start_line/,
    }),
  },
]);
