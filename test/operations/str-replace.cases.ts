import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, type ExpectedError, linkTo, lowLimits, pathError, pathTools, withOptions } from './case.js';

const replace = (old_str: string, new_str: string, path = 'notes/a.md'): Case['call'] => [
  'str_replace',
  { path, old_str, new_str },
];
const done = { success: true, path: 'notes/a.md' };

/** A replacement in a file of this text. @param lines of the new text, as reported to a model */
const change = (
  title: string,
  before: string,
  [old_str, new_str]: [string, string],
  after: string,
  lines = 'line 1',
): Case => ({
  title,
  before: { 'notes/a.md': before },
  call: replace(old_str, new_str),
  result: done,
  told: `OK: notes/a.md (${lines})`,
  after: { 'notes/a.md': after },
});

const refusal = (title: string, before: string | Uint8Array, old_str: string, error: ExpectedError): Case => ({
  title,
  before: { 'notes/a.md': before },
  call: replace(old_str, 'x'),
  error,
});

const times = (count: number): ExpectedError =>
  pathError('string_not_unique', 'notes/a.md', `String appears ${String(count)} times, must be unique`);

const notFound = (details: RegExp): ExpectedError =>
  pathError('string_not_found', 'notes/a.md', 'String not found in file', { details });

export const strReplaceCases: readonly Case[] = withOptions(pathTools, [
  change(
    'replaces a text that is there once',
    '# Project Alpha\nStatus: Planning\nBudget: $50k\n',
    ['Status: Planning', 'Status: In Progress'],
    '# Project Alpha\nStatus: In Progress\nBudget: $50k\n',
    'line 2',
  ),
  change(
    'replaces by a large text',
    'one two',
    ['two', 'é "\n'.repeat(100_000)],
    `one ${'é "\n'.repeat(100_000)}`,
    'lines 1-100000',
  ),
  change('replaces one line by several', 'a\nb\nc', ['b', 'x\n\ny'], 'a\nx\n\ny\nc', 'lines 2-4'),
  change('takes out a line at the end', 'a\nb\n', ['b\n', ''], 'a\n', 'line 2'),
  change('replaces by nothing', 'one two three', [' two', ''], 'one three'),
  change('replaces all of a file', 'all', ['all', ''], ''),
  change('expands no patterns', 'a.b*c', ['.b*', "$& $1 $' \\n"], "a$& $1 $' \\nc"),
  change('keeps every other byte', '\ufeffa\r\nb\rc\n😀', ['b\rc', 'B'], '\ufeffa\r\nB\n😀', 'line 2'),
  change('replaces over the end of lines', 'a\nb\nc\n', ['b\nc\n', 'B\n'], 'a\nB\n', 'line 2'),
  change('replaces by the same', 'same', ['same', 'same'], 'same'),
  {
    title: 'adds the hash on demand',
    before: { 'notes/a.md': 'old' },
    call: ['str_replace', { path: 'notes/a.md', old_str: 'old', new_str: 'new', return_hash: true }],
    result: { ...done, hash: /^[0-9a-f]{16}$/ },
    after: { 'notes/a.md': 'new' },
  },
  {
    title: 'changes the target of a link, and keeps the link',
    before: { 'notes/a.md': 'old' },
    make: { link: linkTo('notes/a.md') },
    call: replace('old', 'new', 'link'),
    result: { success: true, path: 'link' },
    after: { 'notes/a.md': 'new' },
    check: (directory) => {
      symlinkSync('link', join(directory, 'still-a-link'));
    },
  },
  refusal(
    'tells upper case from lower case, which cannot be chosen',
    'todo',
    'TODO',
    notFound(/only in upper and lower case\. Send old_str exactly as it is in the file: "todo"\.$/),
  ),
  refusal(
    'tells the nearest text',
    'Hello World\nBye\n',
    'Hello Wrld',
    notFound(/The nearest text is at line 1: "Hello World"\. Send old_str/),
  ),
  refusal('refuses a text that is there twice', 'TODO: finish this\nTODO: review that\n', 'TODO', {
    ...times(2),
    details: /^Nothing was written\. It is at lines 1, 2: send more /,
  }),
  refusal('counts occurrences that overlap', 'aaaa', 'aa', times(3)),
  refusal('counts long texts as well', 'ab'.repeat(1_000), 'ab'.repeat(600), times(401)),
  refusal(
    'refuses bytes that are no text',
    Uint8Array.of(0x61, 0xff),
    'a',
    pathError('binary_file', 'notes/a.md', 'Cannot perform text operation on binary file'),
  ),
  refusal(
    'refuses an empty text to look for',
    'text',
    '',
    pathError('invalid_params', 'notes/a.md', 'Invalid params: /old_str must be a string that is not empty'),
  ),
  refusal(
    'refuses text that is not well-formed',
    'text',
    '\udc00',
    pathError('invalid_encoding', 'notes/a.md', 'Content does not match specified encoding'),
  ),
  {
    title: 'finds no file, and makes none',
    call: replace('a', 'b'),
    error: pathError('file_not_found', 'notes/a.md', 'File not found: notes/a.md', {
      details: / To make this file, call create with its content\.$/,
    }),
  },
  {
    title: 'does not edit a directory',
    before: { 'notes/a.md': '' },
    call: replace('a', 'b', 'notes'),
    error: pathError('is_directory', 'notes', 'Path is a directory: notes'),
  },
  {
    title: 'does not edit the working directory',
    call: replace('a', 'b', ''),
    error: pathError('is_directory', '', 'Path is a directory: '),
  },
  {
    title: 'refuses a result that is larger than the limit',
    options: lowLimits,
    before: { 'notes/a.md': `${'x'.repeat(1_048_575)}\n` },
    call: replace('\n', 'yy'),
    error: pathError('file_too_large', 'notes/a.md', 'File size 1.1MB exceeds maximum limit 1MB'),
  },
  {
    title: 'writes nothing if the version is not the expected one',
    before: { 'notes/a.md': 'text' },
    call: ['str_replace', { path: 'notes/a.md', old_str: 't', new_str: 'x', expected_hash: '0123456789abcdef' }],
    error: pathError('conflict', 'notes/a.md', "File 'notes/a.md' has changed", {
      status: 412,
      data: { current_hash: /^[0-9a-f]{16}$/ },
    }),
  },
  {
    title: 'writes nothing if the expected version is gone',
    call: ['str_replace', { path: 'a.md', old_str: 't', new_str: 'x', expected_hash: '0123456789abcdef' }],
    error: pathError('conflict', 'a.md', "File 'a.md' has changed", {
      status: 412,
      details:
        /^Nothing was written: no file is at this path\. Check the path: look into the directory above it .* call create/,
    }),
  },
]);
