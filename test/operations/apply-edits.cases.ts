import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { aDirectory, type Case, type ExpectedError, lowLimits, pathError, pathTools, withOptions } from './case.js';
import { makeFifo } from './special-files.js';

const apply = (edits: readonly object[], more: object = {}): Case['call'] => [
  'apply_edits',
  { path: 'notes/a.md', edits, ...more },
];
const replace = (old_string: string, new_string: string, more: object = {}): object => ({
  old_string,
  new_string,
  ...more,
});

const at = (edge: 'start' | 'end', new_string: string): object => ({ at: edge, new_string });

const change = (title: string, before: string, call: Case['call'], result: object, after: string): Case => ({
  title,
  before: { 'notes/a.md': before },
  call,
  result: { success: true, path: 'notes/a.md', dry_run: false, ...result },
  after: { 'notes/a.md': after },
});

const refusal = (title: string, before: string | Uint8Array, call: Case['call'], error: ExpectedError): Case => ({
  title,
  before: { 'notes/a.md': before },
  call,
  error,
});

/** Replacements. */
const many = 5_000;

const diff = (...lines: string[]): string => ['--- a/notes/a.md', '+++ b/notes/a.md', ...lines, ''].join('\n');

const hundred = Array.from({ length: 100 }, (_, index) => index);
/** Of a change in the first of each ten lines. */
const hunkAt = (index: number): string => {
  const before = index === 0 ? [] : [' a', ' a', ' a'];
  const [line, count] = [10 * index + 1 - before.length, 4 + before.length];
  return [`@@ -${line},${count} +${line},${count} @@`, ...before, '-x', '+é', ' a', ' a', ' a'].join('\n');
};

export const applyEditsCases: readonly Case[] = withOptions(pathTools, [
  change(
    'applies edits one after the other and tells what has changed',
    'one\ntwo\nthree\n',
    apply([replace('two', 'TWO'), replace('TWO\nthree', '2\n3')]),
    {
      edits_applied: 2,
      total_replacements: 2,
      replacements: [
        { edit: 1, count: 1, lines: [2] },
        { edit: 2, count: 1, lines: [2] },
      ],
      diff: diff('@@ -1,3 +1,3 @@', ' one', '-two', '-three', '+2', '+3'),
    },
    'one\n2\n3\n',
  ),
  change(
    'replaces all matches where it is told to, by the call or by the edit',
    'a a\nA\n',
    apply([replace('a', 'b'), replace('A', 'x', { replace_all: false })], { replace_all: true }),
    {
      edits_applied: 2,
      total_replacements: 3,
      replacements: [
        { edit: 1, count: 2, lines: [1, 1] },
        { edit: 2, count: 1, lines: [2] },
      ],
      diff: diff('@@ -1,2 +1,2 @@', '-a a', '-A', '+b b', '+x'),
    },
    'b b\nx\n',
  ),
  {
    title: 'writes the path of a diff as git expects it',
    before: { 'notes/a.md': 'a\n' },
    call: ['apply_edits', { path: './notes/../notes//a.md', edits: [replace('a', 'b')], dry_run: true }],
    result: {
      success: true,
      path: './notes/../notes//a.md',
      edits_applied: 1,
      total_replacements: 1,
      replacements: [{ edit: 1, count: 1, lines: [1] }],
      diff: diff('@@ -1,1 +1,1 @@', '-a', '+b'),
      dry_run: true,
    },
  },
  change(
    'tells the first thousand lines of more replacements',
    'a\n'.repeat(many),
    apply([replace('a', 'b', { replace_all: true }), replace('b', 'b', { replace_all: true })]),
    {
      edits_applied: 2,
      total_replacements: many,
      replacements: [
        { edit: 1, count: many, lines: Array.from({ length: 1_000 }, (_, index) => index + 1) },
        { edit: 2, count: 0, lines: [] },
      ],
      diff: diff(`@@ -1,${many} +1,${many} @@`, ...Array<string>(many).fill('-a'), ...Array<string>(many).fill('+b')),
    },
    'b\n'.repeat(many),
  ),
  {
    ...change(
      'shows a model the first changes of a long diff',
      `x${'\na'.repeat(9)}\n`.repeat(100),
      apply([replace('x', 'é', { replace_all: true })]),
      {
        edits_applied: 1,
        total_replacements: 100,
        replacements: [{ edit: 1, count: 100, lines: hundred.map((index) => 10 * index + 1) }],
        diff: diff(...hundred.map(hunkAt)),
      },
      `é${'\na'.repeat(9)}\n`.repeat(100),
    ),
    told: `Replaced 100 occurrences in notes/a.md (lines ${hundred
      .slice(0, 20)
      .map((index) => 10 * index + 1)
      .join(', ')}, …)\n\n${diff(...hundred.slice(0, 89).map(hunkAt))}… 99 lines of the diff are not shown.\n`,
  },
  change(
    'finds a text in any case where it is told to',
    'Größe\n',
    apply([replace('GRÖßE', 'y', { case_insensitive: true })]),
    {
      edits_applied: 1,
      total_replacements: 1,
      replacements: [{ edit: 1, count: 1, lines: [1] }],
      diff: diff('@@ -1,1 +1,1 @@', '-Größe', '+y'),
    },
    'y\n',
  ),
  change(
    'finds only whole words where it is told to, as Unicode knows them',
    'id, idx, _id, éid, 1id, id_é\n(ID)-id\n',
    apply([replace('id', 'key', { whole_word: true, case_insensitive: true, replace_all: true })]),
    {
      edits_applied: 1,
      total_replacements: 3,
      replacements: [{ edit: 1, count: 3, lines: [1, 2, 2] }],
      diff: diff(
        '@@ -1,2 +1,2 @@',
        '-id, idx, _id, éid, 1id, id_é',
        '-(ID)-id',
        '+key, idx, _id, éid, 1id, id_é',
        '+(key)-key',
      ),
    },
    'key, idx, _id, éid, 1id, id_é\n(key)-key\n',
  ),
  refusal(
    'names the longer word if a whole one is nowhere',
    'let idx = 1;\n',
    apply([replace('id', 'key', { whole_word: true })]),
    pathError(
      'string_not_found',
      'notes/a.md',
      'Edit 1 of 1 failed: String not found: "id". The text is only within longer words, as whole_word counts them, at line 1: "idx". Leave out whole_word if it is to be replaced there.',
    ),
  ),
  {
    ...change(
      'adds text at the start and at the end, ending a last line that is not ended',
      '\ufeffone\r\ntwo',
      apply([at('start', 'zero\r\n'), at('end', 'three'), replace('two\r\nthree', '2\r\n3')]),
      {
        edits_applied: 3,
        total_replacements: 3,
        replacements: [
          { edit: 1, count: 1, lines: [1] },
          { edit: 2, count: 1, lines: [4] },
          { edit: 3, count: 1, lines: [3] },
        ],
        diff: diff(
          '@@ -1,2 +1,4 @@',
          '-\ufeffone\r',
          '-two',
          '\\ No newline at end of file',
          '+\ufeffzero\r',
          '+one\r',
          '+2\r',
          '+3',
          '\\ No newline at end of file',
        ),
      },
      '\ufeffzero\r\none\r\n2\r\n3',
    ),
  },
  change(
    'adds text to an empty file',
    '',
    apply([at('end', 'one\n')], { replace_all: true }),
    {
      edits_applied: 1,
      total_replacements: 1,
      replacements: [{ edit: 1, count: 1, lines: [1] }],
      diff: diff('@@ -0,0 +1,1 @@', '+one'),
    },
    'one\n',
  ),
  change(
    'allows an edit that changes nothing',
    'same\n',
    apply([replace('same', 'same')]),
    { edits_applied: 1, total_replacements: 0, replacements: [{ edit: 1, count: 0, lines: [] }], diff: '' },
    'same\n',
  ),
  {
    title: 'writes nothing in a dry run, with the same answer',
    before: { 'notes/a.md': 'one\n' },
    call: apply([replace('one', 'two')], { dry_run: true, return_hash: true }),
    result: {
      success: true,
      path: 'notes/a.md',
      edits_applied: 1,
      total_replacements: 1,
      replacements: [{ edit: 1, count: 1, lines: [1] }],
      diff: diff('@@ -1,1 +1,1 @@', '-one', '+two'),
      dry_run: true,
      hash: /^[0-9a-f]{16}$/,
    },
    check: (directory) => {
      assert.deepEqual(readdirSync(directory), ['notes'], 'not even a lock');
    },
  },
  refusal(
    'says which edit finds nothing, and applies none',
    'one\ntwo\n',
    apply([replace('one', 'ONE'), replace('missing', 'x')]),
    pathError('string_not_found', 'notes/a.md', /^Edit 2 of 2 failed: String not found: "missing"/),
  ),
  refusal(
    'says where a text is that is there several times',
    'x\ny\nx\nx\n',
    apply([replace('x', 'z')]),
    pathError(
      'string_not_unique',
      'notes/a.md',
      /^Edit 1 of 1 failed: Found 3 matches at lines 1, 3, 4\. .*replace_all/,
    ),
  ),
  refusal(
    'refuses an empty text to look for',
    'one\n',
    apply([replace('', 'x')]),
    pathError('invalid_params', 'notes/a.md', /^Edit 1 of 1 failed: old_string is empty/),
  ),
  refusal(
    'refuses an edit that says neither what to replace nor where to add',
    'one\n',
    apply([{ new_string: 'x' }]),
    pathError('invalid_params', 'notes/a.md', 'Invalid params: /edits/0 must have old_string or at', {
      details: /^Send old_string, the text to replace, or at, .* Pointers count from 0\. Correct /,
    }),
  ),
  refusal(
    'refuses an edit that says both',
    'one\n',
    apply([replace('one', 'x', { at: 'end' })]),
    pathError('invalid_params', 'notes/a.md', 'Invalid params: /edits/0 must not have both old_string and at'),
  ),
  refusal(
    'refuses ways of searching where nothing is searched for',
    'one\n',
    apply([{ ...at('end', 'x'), replace_all: true, case_insensitive: true, whole_word: true }]),
    pathError(
      'invalid_params',
      'notes/a.md',
      'Invalid params: /edits/0/replace_all must not be beside at (and 2 more)',
      {
        details:
          /^Nothing is searched for with at, so leave it out\. The same holds for \/edits\/0\/case_insensitive, \/edits\/0\/whole_word\. /,
      },
    ),
  ),
  refusal(
    'refuses bytes that are no text',
    Uint8Array.of(0xff),
    apply([replace('a', 'b')]),
    pathError('binary_file', 'notes/a.md', /^Cannot perform text operation on binary file\. Check /),
  ),
  refusal(
    'refuses text that is not well-formed',
    'one\n',
    apply([replace('one', '\ud800')]),
    pathError('invalid_encoding', 'notes/a.md', 'Content does not match specified encoding', {
      details: /^new_string of edit 1 must be well-formed/,
    }),
  ),
  refusal(
    'takes at least one edit',
    'one\n',
    apply([]),
    pathError('invalid_params', 'notes/a.md', 'Invalid params: /edits must be an array of 1 to 1000 items'),
  ),
  refusal(
    'takes at most 1000 edits',
    'one\n',
    apply(Array.from({ length: 1001 }, () => replace('one', 'one'))),
    pathError('invalid_params', 'notes/a.md', 'Invalid params: /edits must hold at most 1000 items'),
  ),
  {
    title: 'finds no file, and makes none',
    call: apply([replace('a', 'b')]),
    error: pathError('file_not_found', 'notes/a.md', 'File not found: notes/a.md. Check that file exists.', {
      details: / To make this file, call create with its content\.$/,
    }),
  },
  {
    title: 'does not edit a directory',
    make: { 'notes/a.md': aDirectory },
    call: apply([replace('a', 'b')]),
    error: pathError('is_directory', 'notes/a.md', 'Path is a directory: notes/a.md. Name a file in it.'),
  },
  {
    title: 'does not leave the directory',
    call: ['apply_edits', { path: '../a.md', edits: [replace('a', 'b')] }],
    error: pathError('path_security', '../a.md', 'Path escapes base directory'),
  },
  {
    title: 'refuses a result that is larger than the limit, also in a dry run',
    options: lowLimits,
    before: { 'notes/a.md': 'x'.repeat(1_048_570) + 'y' },
    call: apply([replace('y', 'zzzzzzzz')], { dry_run: true }),
    error: pathError('file_too_large', 'notes/a.md', 'File size 1.1MB exceeds maximum limit 1MB'),
  },
  {
    title: 'makes no intermediate text that is much larger than the limit',
    options: lowLimits,
    before: { 'notes/a.md': 'x'.repeat(2_000) },
    call: apply([replace('x', 'y'.repeat(2_000)), replace('y', '')], { replace_all: true }),
    error: pathError('file_too_large', 'notes/a.md', /^Edit 1 of 2 failed: It makes the text 4000000 bytes long, /),
  },
  {
    title: 'writes nothing if the version is not the expected one',
    before: { 'notes/a.md': 'text' },
    call: apply([replace('t', 'x')], { expected_hash: '0123456789abcdef' }),
    error: pathError('conflict', 'notes/a.md', "File 'notes/a.md' has changed", {
      status: 412,
      data: { current_hash: /^[0-9a-f]{16}$/ },
    }),
  },
  {
    title: 'reports once that a file is in place of a directory on the path',
    before: { 'a.md': 'text' },
    call: ['apply_edits', { path: 'a.md/b.md', edits: [replace('t', 'x')] }],
    error: pathError('not_a_directory', 'a.md/b.md', 'Not a directory: a.md/b.md. Check the path.', {
      details: /^Part of the path is a file, not a directory; view the directory above it/,
    }),
  },
  {
    title: 'reports once that the path is not a file',
    make: { pipe: makeFifo },
    call: ['apply_edits', { path: 'pipe', edits: [replace('t', 'x')] }],
    error: pathError('not_a_file', 'pipe', 'Not a regular file: pipe. Check the path.', {
      details: /^Only files, directories and symbolic links can be used; choose another path\.$/,
    }),
  },
]);
