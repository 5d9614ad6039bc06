import { aDirectory, type Case, invalidParams, linkTo, lowLimits } from './case.js';

const five = 'one\ntwo\nthree\nfour\nfive\n';
const done = (lines_modified: number, new_total_lines: number, file_created = false): Record<string, unknown> => ({
  success: true,
  lines_modified,
  file_created,
  new_total_lines,
});

/** An edit of a file of five lines. */
const edit = (title: string, params: object, lines: [modified: number, total: number], after: string): Case => ({
  title,
  before: { 'a.txt': five },
  call: ['edit_file', { name: 'a.txt', ...params }],
  result: done(...lines),
  after: { 'a.txt': after },
});

const refusal = (title: string, params: object, message: string | RegExp): Case => ({
  title,
  before: { 'a.txt': five },
  call: ['edit_file', { name: 'a.txt', ...params }],
  error: invalidParams(message),
});

const insert = (line: number, content: string): object => ({ line, operation: 'insert', content });
const replace = (line: number, content: string): object => ({ line, operation: 'replace', content });
const remove = (line: number): object => ({ line, operation: 'delete' });
const upTo = (end_line: number, ranged: object): object => ({ ...ranged, end_line });

/** Longer texts than 256 kB stay bytes all the way. */
const large = 'a "line" with\t\\, ü, 日本 and 😀\n'.repeat(10_000);

export const editCases: readonly Case[] = [
  {
    title: 'takes a large text for a new file',
    call: ['edit_file', { name: 'new.txt', append: `\ufeff${large}`, create_if_missing: true }],
    result: done(10_000, 10_000, true),
    told: 'File edited successfully: new.txt\nLines modified: 10000\nTotal lines: 10000\nFile created: true',
    after: { 'new.txt': `\ufeff${large}` },
  },
  {
    title: 'gives large texts the separators of the file, and leaves the byte order mark in place',
    before: { 'a.txt': '\ufeffone\r\ntwo\r\n' },
    call: ['edit_file', { name: 'a.txt', edits: [replace(1, `\ufeff${large}`), insert(3, large)], append: large }],
    result: done(30_000, 30_001),
    after: { 'a.txt': `\ufeff${large}two\n${large}${large}`.replaceAll('\n', '\r\n') },
  },
  {
    title: 'refuses a large text that is not well-formed Unicode, and names its place',
    before: { 'a.txt': five },
    call: ['edit_file', { name: 'a.txt', edits: [replace(1, 'a'), replace(2, `${large}\ud800`)] }],
    error: invalidParams('Invalid params: /edits/1/content must be well-formed Unicode, without lone surrogates'),
  },
  {
    title: 'refuses a large text where none belongs',
    before: { 'a.txt': five },
    call: ['edit_file', { name: 'a.txt', content: large, edits: [{ ...remove(1), content: large }] }],
    error: invalidParams(
      'Invalid params: /content is an unknown parameter (and 1 more)',
      /^Did you mean "append"\? .* \/edits\/0 must not have content for delete\. /,
    ),
  },
  edit(
    'replaces line 2, as the criterion of the specification says',
    { edits: [replace(2, 'new line')] },
    [1, 5],
    'one\nnew line\nthree\nfour\nfive\n',
  ),
  edit(
    'inserts at position 3 of 5 lines, as the criterion of the specification says',
    { edits: [insert(3, 'inserted')] },
    [1, 6],
    'one\ntwo\ninserted\nthree\nfour\nfive\n',
  ),
  edit('replaces a line', { edits: [replace(2, 'TWO')] }, [1, 5], 'one\nTWO\nthree\nfour\nfive\n'),
  edit('inserts before a line', { edits: [insert(3, 'new')] }, [1, 6], 'one\ntwo\nnew\nthree\nfour\nfive\n'),
  edit('inserts after the last line', { edits: [insert(6, 'six')] }, [1, 6], `${five}six\n`),
  edit('deletes a line', { edits: [remove(2)] }, [1, 4], 'one\nthree\nfour\nfive\n'),
  edit('deletes every line', { edits: [1, 2, 3, 4, 5].map(remove) }, [5, 0], ''),
  edit(
    'takes every line number as it was before the request, whatever the order',
    { edits: [remove(1), replace(5, 'FIVE'), insert(3, 'new'), replace(2, 'TWO')] },
    [4, 5],
    'TWO\nnew\nthree\nfour\nFIVE\n',
  ),
  edit(
    'replaces and deletes ranges of lines, each as one block',
    { edits: [upTo(2, replace(1, 'ONE\nTWO\nTHREE')), upTo(5, remove(4)), insert(4, 'new')] },
    [6, 5],
    'ONE\nTWO\nTHREE\nthree\nnew\n',
  ),
  edit('appends', { append: 'six\nseven' }, [2, 7], `${five}six\nseven\n`),
  edit('does nothing without edits', {}, [0, 5], five),
  {
    title: 'fills an empty file with inserts at 1, 2, 3',
    before: { 'a.txt': '' },
    call: ['edit_file', { name: 'a.txt', edits: [insert(3, 'c'), insert(1, 'a'), insert(2, 'b')] }],
    result: done(3, 3),
    after: { 'a.txt': 'a\nb\nc\n' },
  },
  {
    title: 'keeps CRLF, lone CR and a missing final separator where it does not edit',
    before: { 'a.txt': 'a\r\nb\rc\nd\r\ne' },
    call: ['edit_file', { name: 'a.txt', edits: [replace(2, 'B'), insert(4, 'new')] }],
    result: done(2, 6),
    after: { 'a.txt': 'a\r\nB\rc\nnew\r\nd\r\ne' },
  },
  {
    title: 'does not expand patterns in new text',
    before: { 'a.txt': 'x\n' },
    call: ['edit_file', { name: 'a.txt', edits: [replace(1, "$& $1 $' \\n")] }],
    result: done(1, 1),
    after: { 'a.txt': "$& $1 $' \\n\n" },
  },
  {
    title: 'creates a missing file on demand; what is written to it ends with a separator',
    call: ['edit_file', { name: 'new.txt', create_if_missing: true, append: 'a\r\nb' }],
    result: done(2, 2, true),
    after: { 'new.txt': 'a\r\nb\r\n' },
  },
  {
    title: 'creates an empty file when there is nothing to write',
    call: ['edit_file', { name: 'new.txt', create_if_missing: true }],
    result: done(0, 0, true),
    after: { 'new.txt': '' },
  },
  {
    title: 'edits through a link, and keeps the link',
    before: { 'a.txt': 'old\n' },
    make: { link: linkTo('a.txt') },
    call: ['edit_file', { name: 'link', edits: [replace(1, 'new')], return_hash: true }],
    result: { ...done(1, 1), hash: /^[0-9a-f]{16,}$/ },
    after: { 'a.txt': 'new\n' },
  },
  {
    title: 'writes nothing when the file has another hash than expected, and tells which',
    before: { 'a.txt': five },
    call: ['edit_file', { name: 'a.txt', append: 'six', expected_hash: 'hash of another text' }],
    error: {
      code: -32001,
      status: 412,
      message: "File 'a.txt' has changed",
      details:
        /^Nothing was written: expected_hash is not written as a hash, 16 lower-case hex digits\. Send it exactly as a server gives it for return_hash/,
      data: { current_hash: /^[0-9a-f]{16,}$/ },
    },
  },
  {
    title: 'writes nothing when a file with an expected hash does not exist, even if it could be created',
    call: ['edit_file', { name: 'a.txt', append: 'six', expected_hash: '00', create_if_missing: true }],
    error: {
      code: -32001,
      status: 412,
      message: "File 'a.txt' has changed",
      details: /Leave expected_hash .*out to create it\.$/,
    },
  },

  {
    title: 'says how to make a file that is not there where a version is expected',
    call: ['edit_file', { name: 'a.txt', append: 'six', expected_hash: '00', create_if_missing: false }],
    error: {
      code: -32001,
      status: 412,
      message: "File 'a.txt' has changed",
      details: /leave expected_hash out and send create_if_missing: true to create this one\.$/,
    },
  },

  refusal('refuses two edits of one line', { edits: [replace(2, 'x'), remove(2)] }, 'Conflicting edits on line 2'),
  refusal(
    'refuses two ranges that share lines, at the first of these',
    { edits: [upTo(4, replace(2, 'x')), upTo(5, remove(3))] },
    'Conflicting edits on line 3',
  ),
  refusal(
    'refuses to insert inside a range',
    { edits: [insert(4, 'x'), upTo(4, remove(2))] },
    'Conflicting edits on line 4',
  ),
  refusal('refuses a reversed range', { edits: [upTo(3, remove(5))] }, 'Invalid line range: start 5 > end 3'),
  refusal(
    'refuses a range that ends past the file',
    { edits: [upTo(20, replace(5, 'x'))] },
    'Line 20 out of range for replace operation',
  ),
  refusal(
    'refuses an end_line with an insert',
    { edits: [upTo(2, insert(2, 'x'))] },
    'Insert operation cannot specify end_line',
  ),
  refusal('refuses an end_line below 1', { edits: [upTo(0, remove(1))] }, 'Line numbers must be positive integers'),
  refusal(
    'refuses content with a deletion',
    { edits: [{ ...remove(2), content: 'x' }] },
    'Delete operation cannot specify content',
  ),
  refusal(
    'refuses a replacement without content',
    { edits: [{ line: 1, operation: 'replace' }] },
    'Invalid params: /edits/0 needs content to replace',
  ),
  refusal(
    'names every edit that lacks its content',
    {
      edits: [
        { line: 1, operation: 'replace' },
        { line: 2, operation: 'insert' },
      ],
    },
    'Invalid params: /edits/0 needs content to replace (and 1 more)',
  ),
  {
    title: 'checks the content of edits before the name',
    call: ['edit_file', { name: 'a/b', edits: [{ line: 1, operation: 'replace' }] }],
    error: invalidParams('Invalid params: /edits/0 needs content to replace'),
  },
  refusal(
    'refuses to replace a line that is not there',
    { edits: [replace(6, 'x')] },
    'Line 6 out of range for replace operation',
  ),
  refusal(
    'refuses lines far past the end of any file',
    { edits: [insert(1e20, 'x')] },
    'Line 100000000000000000000 out of range for insert operation',
  ),
  refusal(
    'does nothing at all when one edit of several is wrong',
    { edits: [replace(1, 'x'), remove(9)], append: 'y' },
    'Line 9 out of range for delete operation',
  ),
  refusal('refuses line 0', { edits: [remove(0)] }, 'Line numbers must be positive integers'),
  refusal(
    'refuses a line number that is none',
    { edits: [{ ...remove(1), line: '1.5' }] },
    'Line numbers must be positive integers',
  ),
  refusal(
    'refuses null for a line number',
    { edits: [{ ...remove(1), line: null }] },
    'Line numbers must be positive integers',
  ),
  refusal(
    'says that something else is wrong beside a line number',
    { edits: [{ line: 0, operation: 'move' }] },
    /^Invalid params: \/edits\/0\/line must be a whole number from [01] \(and 1 more\)$/,
  ),
  refusal('refuses an unknown operation', { edits: [{ line: 1, operation: 'move' }] }, 'Invalid edit operation: move'),
  refusal(
    'refuses more than 1000 edits',
    { edits: Array.from({ length: 1001 }, () => insert(1, 'x')) },
    'Invalid params: /edits must hold at most 1000 items',
  ),
  {
    title: 'names the first thing that is wrong, and says how many others there are',
    before: { 'a.txt': five },
    call: ['edit_file', { edits: [{ operation: 'delete' }], append: 7 }],
    error: invalidParams(
      'Invalid params: /name is required (and 2 more)',
      /^Expected a string\. \/edits\/0\/line is required: expected a whole number from [01]\. \/append must be a string, not a number: /,
    ),
  },
  {
    title: 'counts twenty things that are wrong, and no more',
    before: { 'a.txt': five },
    call: ['edit_file', { name: 'a.txt', edits: new Array(1000).fill({ line: 1, operation: 'replace' }) }],
    error: invalidParams(
      'Invalid params: /edits/0 needs content to replace (and 19 more)',
      / The same holds for \/edits\/1, .*, \/edits\/19\. Pointers count from 0\. Correct /,
    ),
  },
  refusal(
    'refuses text that is not well-formed Unicode',
    { append: 'x\ud800' },
    'Invalid params: /append must be well-formed Unicode, without lone surrogates',
  ),
  refusal(
    'refuses it in edits too',
    { edits: [replace(1, '\udc00\ud800')] },
    'Invalid params: /edits/0/content must be well-formed Unicode, without lone surrogates',
  ),
  {
    title: 'does not create a missing file unasked',
    call: ['edit_file', { name: 'a.txt', append: 'x' }],
    error: { code: -32001, status: 404, message: "File 'a.txt' not found and create_if_missing is false" },
  },
  {
    title: 'does not treat a missing file as empty if one of its lines is to be changed',
    call: ['edit_file', { name: 'confg.txt', edits: [insert(1, 'x'), replace(1, 'y')], create_if_missing: true }],
    error: invalidParams(
      'Line 1 out of range for replace operation',
      /File 'confg\.txt' does not exist\..* list_files/,
    ),
    after: {},
  },
  {
    title: 'names a reversed range in a missing file as what it is',
    call: ['edit_file', { name: 'new.txt', edits: [upTo(1, remove(2))], create_if_missing: true }],
    error: invalidParams('Invalid line range: start 2 > end 1'),
    after: {},
  },
  {
    title: 'treats a dangling link as a missing file',
    make: { link: linkTo('missing.txt') },
    call: ['edit_file', { name: 'link', append: 'x' }],
    error: {
      code: -32001,
      status: 404,
      message: "File 'link' not found and create_if_missing is false",
      details: /symbolic link whose target does not exist/,
    },
  },
  {
    title: 'does not create the target of a dangling link',
    make: { link: linkTo('missing.txt') },
    call: ['edit_file', { name: 'link', append: 'x', create_if_missing: true }],
    error: { code: -32001, status: 404, message: "File 'link' not found" },
  },
  {
    title: 'finds no version at a dangling link, whether or not it may create a file',
    make: { link: linkTo('missing.txt') },
    call: ['edit_file', { name: 'link', append: 'x', create_if_missing: true, expected_hash: '2d06800538d394c2' }],
    error: {
      code: -32001,
      status: 412,
      message: "File 'link' has changed",
      details: /symbolic link whose target does not exist/,
    },
  },
  {
    title: 'creates a file over the placeholder of a move whose server was killed',
    make: { 'a.txt': linkTo('.file-editor/moving/here') },
    call: ['edit_file', { name: 'a.txt', append: 'x', create_if_missing: true }],
    result: done(1, 1, true),
    after: { 'a.txt': 'x\n' },
  },
  {
    title: 'does not write through a link that leads outside',
    make: { link: linkTo('/etc/hostname') },
    call: ['edit_file', { name: 'link', append: 'x' }],
    error: { code: -32001, status: 403, message: "Permission denied accessing 'link'" },
  },
  {
    title: 'does not edit a directory',
    make: { folder: aDirectory },
    call: ['edit_file', { name: 'folder', append: 'x', create_if_missing: true }],
    error: { code: -32001, status: 400, message: "'folder' is not a regular file" },
  },
  {
    title: 'does not edit a file that is not UTF-8',
    before: { 'a.txt': Buffer.from([0x61, 0xff]) },
    call: ['edit_file', { name: 'a.txt', append: 'x' }],
    error: { code: -32001, status: 400, message: 'File contains invalid UTF-8 encoding' },
  },
  {
    title: 'does not let a file grow beyond the limit',
    options: lowLimits,
    before: { 'a.txt': 'x'.repeat(1_048_570) },
    call: ['edit_file', { name: 'a.txt', append: 'more than fits' }],
    error: {
      code: -32001,
      status: 413,
      message: 'File size 1.1MB exceeds maximum limit 1MB',
      details: /Write less/,
    },
  },
  {
    title: 'does not let a file have more lines than --max-lines',
    options: lowLimits,
    before: { 'a.txt': 'one\ntwo\n' },
    call: ['edit_file', { name: 'a.txt', append: 'three' }],
    error: { code: -32001, status: 413, message: 'File has 3 lines, exceeds maximum 2', details: /Write fewer/ },
  },
];
