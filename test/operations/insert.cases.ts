import { type Case, lowLimits, pathError, pathTools, withOptions } from './case.js';

const insert = (insert_line: unknown, new_str: string, path = 'notes/a.md'): Case['call'] => [
  'insert',
  { path, insert_line, new_str },
];

/** @param lines of the new text, as reported to a model */
const change = (
  title: string,
  before: string,
  [line, text]: [number, string],
  after: string,
  lines = `line ${line}`,
): Case => ({
  title,
  before: { 'notes/a.md': before },
  call: insert(line, text),
  result: { success: true, path: 'notes/a.md' },
  told: `OK: notes/a.md (${lines})`,
  after: { 'notes/a.md': after },
});

const outOfRange = (line: number, before: string, last: number): Case => ({
  title: `refuses line ${String(line)} of ${String(last - 1)}`,
  before: { 'notes/a.md': before },
  call: insert(line, 'x\n'),
  error: pathError('invalid_line_number', 'notes/a.md', `Line number ${String(line)} out of range (1-${String(last)})`),
});

export const insertCases: readonly Case[] = withOptions(pathTools, [
  change('puts a line before another one', 'one\ntwo\n', [2, 'new\n'], 'one\nnew\ntwo\n'),
  change('goes on in the same line without a newline', 'one\ntwo\n', [2, '- '], 'one\n- two\n'),
  change('puts text at the beginning', 'one\n', [1, 'zero\n'], 'zero\none\n'),
  change('puts text at the end', 'one\n', [2, 'two'], 'one\ntwo'),
  change('adds the newline that the last line has not', 'one\ntwo', [3, 'three\n'], 'one\ntwo\nthree\n'),
  change('adds the newline that the file mostly has', 'one\r\ntwo', [3, 'three'], 'one\r\ntwo\r\nthree'),
  change('puts text into an empty file', '', [1, 'one'], 'one'),
  change('keeps a byte order mark in front', '\ufeffone\n', [1, 'zero\n'], '\ufeffzero\none\n'),
  change('does not double it', '\ufeffone\n', [1, '\ufeffzero\n'], '\ufeffzero\none\n'),
  change('puts text after a byte order mark alone', '\ufeff', [1, 'one\n'], '\ufeffone\n'),
  change(
    'keeps the separators of the file and those of the text',
    'a\r\nb\rc\n',
    [3, 'x\ny\r'],
    'a\r\nb\rx\ny\rc\n',
    'lines 3-4',
  ),
  change(
    'inserts a large text',
    '\ufeffone\n',
    [1, `\ufeff${'é "\n'.repeat(100_000)}`],
    `\ufeff${'é "\n'.repeat(100_000)}one\n`,
    'lines 1-100000',
  ),
  change('inserts nothing', 'one\n', [1, ''], 'one\n'),
  {
    title: 'adds the hash on demand',
    before: { 'notes/a.md': '' },
    call: ['insert', { path: 'notes/a.md', insert_line: 1, new_str: 'x', return_hash: true }],
    result: { success: true, path: 'notes/a.md', hash: /^[0-9a-f]{16}$/ },
    after: { 'notes/a.md': 'x' },
  },
  outOfRange(0, 'one\ntwo\n', 3),
  outOfRange(-1, 'one\ntwo\n', 3),
  outOfRange(4, 'one\ntwo', 3),
  outOfRange(2, '', 1),
  outOfRange(1e300, 'one\n', 2),
  {
    title: 'refuses a line number that is not whole',
    before: { 'notes/a.md': 'one\n' },
    call: insert(1.5, 'x'),
    error: pathError(
      'invalid_params',
      'notes/a.md',
      /^Invalid params: \/insert_line must be a whole number(?:, not a string)?$/,
    ),
  },
  {
    title: 'refuses bytes that are not text',
    before: { 'notes/a.md': Uint8Array.of(0xff) },
    call: insert(1, 'x'),
    error: pathError('binary_file', 'notes/a.md', 'Cannot perform text operation on binary file'),
  },
  {
    title: 'finds no file',
    call: insert(1, 'x', 'no/file'),
    error: pathError('file_not_found', 'no/file', 'File not found: no/file', {
      details: / To make this file, call create with its content\.$/,
    }),
  },
  {
    title: 'refuses a result with too many lines',
    options: lowLimits,
    before: { 'notes/a.md': 'one\ntwo\n' },
    call: insert(1, 'zero\n'),
    error: pathError('file_too_large', 'notes/a.md', 'File has 3 lines, exceeds maximum 2'),
  },
  {
    title: 'writes nothing if the version is not the expected one',
    before: { 'notes/a.md': 'text' },
    call: ['insert', { path: 'notes/a.md', insert_line: 1, new_str: 'x', expected_hash: 'ffffffffffffffff' }],
    error: pathError('conflict', 'notes/a.md', "File 'notes/a.md' has changed", {
      status: 412,
      data: { current_hash: /^[0-9a-f]{16}$/ },
    }),
  },
]);
