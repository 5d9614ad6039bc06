import { linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  aDirectory,
  type Case,
  type ExpectedError,
  linkTo,
  lowLimits,
  pathError,
  pathTools,
  withOptions,
} from './case.js';
import { makeFifo } from './special-files.js';

const text = (content: string, size: number): Record<string, unknown> => ({
  type: 'file',
  content,
  encoding: 'utf-8',
  size,
});

/** A file whose lines are longer than a chunk of 64 kB, with every separator, one of them across two chunks. */
const longLines = [`${'a'.repeat(65_535)}\r\n`, `${'é'.repeat(40_000)}\r`, `${'b'.repeat(70_000)}\n`, 'end'];
const longText = longLines.join('');

const mixed = '\ufeffone\r\ntwo\rthree\n\nlast';
const bounded = (
  content: string,
  range: { start_line?: number; end_line?: number },
  whole = mixed,
  total = 5,
): Record<string, unknown> => ({
  ...text(content, Buffer.byteLength(whole)),
  total_lines: total,
  range_requested: range,
});
const ranges: readonly (readonly [content: string, range: { start_line?: number; end_line?: number }])[] = [
  ['\ufeffone\r\n', { start_line: 1, end_line: 1 }],
  ['\ufeffone\r\ntwo\r', { end_line: 2 }],
  ['two\rthree\n', { start_line: 2, end_line: 3 }],
  ['\n', { start_line: 4, end_line: 4 }],
  ['last', { start_line: 5 }],
  ['last', { start_line: 5, end_line: 5 }],
  [mixed, { start_line: 1 }],
  [mixed, { end_line: 99 }],
];
/** What a model is told of whole texts, and of lines of `mixed`. */
const unseen: readonly (readonly [content: string, told: string])[] = [
  ['one\ntwo\n', 'one\ntwo\n'],
  ['one\r\ntwo\r\n', 'one\r\ntwo\r\n[line breaks: \\r\\n]'],
  ['one\rtwo\r', 'one\rtwo\r[line breaks: \\r]'],
  ['\ufeffone\n', '\ufeffone\n[begins with a BOM]'],
  ['\ufeff', '\ufeff\n[begins with a BOM]'],
  ['one\\n', 'one\\n\n[no line break at the end]'],
  [mixed, `${mixed}\n[line breaks: mixed; begins with a BOM; no line break at the end]`],
];
const unseenOfRanges: readonly (readonly [...(typeof ranges)[number], told: string])[] = [
  [
    '\ufeffone\r\ntwo\r',
    { end_line: 2 },
    '(lines 1-2 of 5)\n\n\ufeffone\r\ntwo\r[line breaks: mixed; begins with a BOM]',
  ],
  ['three\n', { start_line: 3, end_line: 3 }, '(lines 3-3 of 5)\n\nthree\n[line breaks: mixed]'],
  ['last', { start_line: 5, end_line: 9 }, '(lines 5-5 of 5)\n\nlast\n[line breaks: mixed; no line break at the end]'],
];
const badLine = (path: string, message: string): ExpectedError => pathError('invalid_line_number', path, message);

/** Enough names to cross threads as bytes. */
const many = Array.from({ length: 1_100 }, (_, index) => `file ${String(index).padStart(4, '0')}`);
const [first = ''] = many;

export const viewCases: readonly Case[] = withOptions(pathTools, [
  {
    title: 'gives a text verbatim, every separator and the byte order mark included',
    before: { 'notes/a.md': '\ufeffone\r\ntwo\rthree\n\u2028"\\\u0000\u001f\b\f\t😀\n' },
    call: ['view', { path: 'notes/a.md' }],
    result: text('\ufeffone\r\ntwo\rthree\n\u2028"\\\u0000\u001f\b\f\t😀\n', 33),
  },
  {
    title: 'gives the example of the specification, of 32 bytes',
    before: { 'notes/meeting.md': '# Team Meeting\n\nDiscuss Q1 goals' },
    call: ['view', { path: 'notes/meeting.md' }],
    result: text('# Team Meeting\n\nDiscuss Q1 goals', 32),
    told: '# Team Meeting\n\nDiscuss Q1 goals\n[no line break at the end]',
  },
  {
    title: 'counts the size in bytes, not in characters',
    before: { 'meeting.md': 'Discuss Q1 goäls' },
    call: ['view', { path: 'meeting.md' }],
    result: text('Discuss Q1 goäls', 17),
  },
  {
    title: 'gives bytes that are not text in base64',
    before: { 'logo.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff) },
    call: ['view', { path: 'logo.png' }],
    result: { type: 'file', content: 'iVBOR/8=', encoding: 'base64', size: 5 },
  },
  {
    title: 'gives an empty file as empty text',
    before: { empty: '' },
    call: ['view', { path: 'empty' }],
    result: text('', 0),
  },
  {
    title: 'adds the hash of a text on demand',
    before: { 'a.txt': 'text\n' },
    call: ['view', { path: 'a.txt', return_hash: true }],
    result: { ...text('text\n', 5), hash: /^[0-9a-f]{16}$/ },
  },
  {
    title: 'adds the hash of bytes that are not text on demand',
    before: { bytes: Uint8Array.of(0xff) },
    call: ['view', { path: 'bytes', return_hash: true }],
    result: { type: 'file', content: '/w==', encoding: 'base64', size: 1, hash: /^[0-9a-f]{16}$/ },
  },
  {
    title: 'lists a directory of many names',
    before: { [first]: '' },
    // Hard links to one file: a new file for each took 3 s of the suite on ext4.
    prepare: (directory) => {
      for (const name of many.slice(1)) linkSync(join(directory, first), join(directory, name));
    },
    call: ['view', { path: '' }],
    result: { type: 'directory', entries: many },
    after: Object.fromEntries(many.map((name) => [name, ''])),
  },
  {
    title: 'lists the directory of the specification as its scenario has it',
    before: { 'nodes/proj_003.md': '', 'nodes/proj_001.md': '', 'nodes/proj_002.md': '', 'nodes/.hidden': '' },
    call: ['view', { path: 'nodes/' }],
    result: { type: 'directory', entries: ['proj_001.md', 'proj_002.md', 'proj_003.md'] },
  },
  {
    title: 'lists a directory by code point, hidden names left out, whatever it holds',
    before: { 'nodes/b.md': '', 'nodes/B.md': '', 'nodes/.hidden': '', 'nodes/\ufb01': '', 'nodes/😀': '' },
    make: { 'nodes/sub': aDirectory, 'nodes/link': linkTo('nowhere') },
    call: ['view', { path: 'nodes' }],
    result: { type: 'directory', entries: ['B.md', 'b.md', 'link', 'sub', '\ufb01', '😀'] },
  },
  {
    title: 'leaves out names that are not UTF-8',
    prepare: (directory) => {
      writeFileSync(Buffer.from(`${directory}/\xff.txt`, 'latin1'), '');
    },
    call: ['view', { path: '' }],
    result: { type: 'directory', entries: [] },
  },
  ...['', '.', './', 'nodes/..', 'nodes/../.'].map((path): Case => ({
    title: `lists the working directory as ${JSON.stringify(path)}, without what is reserved`,
    before: { 'a.txt': '', 'nodes/b.txt': '' },
    make: { '.file-editor': aDirectory },
    call: ['view', { path }],
    result: { type: 'directory', entries: ['a.txt', 'nodes'] },
  })),
  ...['nodes/', 'nodes//', 'nodes\\', './nodes', 'nodes/.', 'other/../nodes'].map((path): Case => ({
    title: `takes ${JSON.stringify(path)} for a directory`,
    before: { 'nodes/a.txt': '', 'other/b.txt': '' },
    call: ['view', { path }],
    result: { type: 'directory', entries: ['a.txt'] },
  })),
  {
    title: 'follows links that stay inside, also links to directories on the way',
    before: { 'deep/er/a.txt': 'text' },
    make: { short: linkTo('deep/er'), 'deep/link': linkTo('../short/a.txt') },
    call: ['view', { path: 'short/../deep/link' }],
    result: text('text', 4),
  },
  {
    title: 'lists the working directory through a link to it',
    before: { 'sub/a.txt': '' },
    make: { 'sub/up': linkTo('..') },
    call: ['view', { path: 'sub/up' }],
    result: { type: 'directory', entries: ['sub'] },
  },
  {
    title: 'finds no file',
    call: ['view', { path: 'missing.md' }],
    error: pathError('file_not_found', 'missing.md', 'File not found: missing.md'),
  },
  {
    title: 'finds no file in a missing directory',
    call: ['view', { path: 'no/such/file.md' }],
    before: { 'no/file.md': '' },
    error: pathError('file_not_found', 'no/such/file.md', 'File not found: no/such/file.md', {
      details: /^There is no directory 'such' in 'no'\. Check the path/,
    }),
  },
  {
    title: 'finds no file at a dangling link',
    make: { link: linkTo('nowhere') },
    call: ['view', { path: 'link' }],
    error: pathError('file_not_found', 'link', 'File not found: link', { details: /link/ }),
  },
  {
    title: 'distinguishes a file from the directory that its path asks for',
    before: { 'a.txt': 'text' },
    call: ['view', { path: 'a.txt/' }],
    error: pathError('not_a_directory', 'a.txt/', 'Not a directory: a.txt/'),
  },
  {
    title: 'does not look for a file inside a file',
    before: { 'a.txt': 'text' },
    call: ['view', { path: 'a.txt/b' }],
    error: pathError('not_a_directory', 'a.txt/b', 'Not a directory: a.txt/b'),
  },
  {
    title: 'refuses what is neither file nor directory, without blocking on it',
    make: { pipe: makeFifo },
    call: ['view', { path: 'pipe' }],
    error: pathError('not_a_file', 'pipe', 'Not a regular file: pipe'),
  },
  {
    title: 'refuses a file that is larger than the limit',
    options: lowLimits,
    before: { large: new Uint8Array(1_048_577) },
    call: ['view', { path: 'large' }],
    error: pathError('file_too_large', 'large', 'File size 1.1MB exceeds maximum limit 1MB'),
  },
  {
    title: 'refuses a text of more lines than the limit',
    options: lowLimits,
    before: { long: '1\n2\n3' },
    call: ['view', { path: 'long' }],
    error: pathError('file_too_large', 'long', 'File has 3 lines, exceeds maximum 2'),
  },
  {
    title: 'counts no lines in bytes that are not text',
    options: lowLimits,
    before: { bytes: Uint8Array.of(0xff, 0x0a, 0x0a, 0x0a) },
    call: ['view', { path: 'bytes' }],
    result: { type: 'file', content: '/woKCg==', encoding: 'base64', size: 4 },
  },
  ...ranges.map(([content, range]): Case => ({
    title: `gives lines byte for byte, each with its separator: ${JSON.stringify(range)}`,
    before: { 'a.txt': mixed },
    call: ['view', { path: 'a.txt', ...range }],
    result: bounded(content, range),
  })),
  ...unseen.map(([content, told]): Case => ({
    title: `tells a model what does not show of ${JSON.stringify(content)}`,
    before: { 'a.txt': content },
    call: ['view', { path: 'a.txt' }],
    result: text(content, Buffer.byteLength(content)),
    told,
  })),
  ...unseenOfRanges.map(([content, range, told]): Case => ({
    title: `tells a model what does not show of lines: ${JSON.stringify(range)}`,
    before: { 'a.txt': mixed },
    call: ['view', { path: 'a.txt', ...range }],
    result: bounded(content, range),
    told,
  })),
  {
    title: 'takes no character within a text for a byte order mark',
    before: { 'a.txt': 'one\n\ufefftwo\n' },
    call: ['view', { path: 'a.txt', start_line: 2 }],
    result: bounded('\ufefftwo\n', { start_line: 2 }, 'one\n\ufefftwo\n', 2),
    told: '(lines 2-2 of 2)\n\n\ufefftwo\n',
  },
  {
    title: 'tells of the line breaks of a text that is read in pieces',
    before: { long: longText },
    call: ['view', { path: 'long', start_line: 4 }],
    result: bounded('end', { start_line: 4 }, longText, 4),
    told: '(lines 4-4 of 4)\n\nend\n[line breaks: mixed; no line break at the end]',
  },
  ...longLines.map((line, index): Case => {
    const range = { start_line: index + 1, end_line: index + 1 };
    return {
      title: `gives line ${String(index + 1)} of a text that is read in pieces`,
      before: { long: longText },
      call: ['view', { path: 'long', ...range }],
      result: bounded(line, range, longText, 4),
    };
  }),
  {
    title: 'gives the end of a text that is read in pieces',
    before: { long: longText },
    call: ['view', { path: 'long', start_line: 2 }],
    result: bounded(longLines.slice(1).join(''), { start_line: 2 }, longText, 4),
  },
  {
    title: 'adds the hash of the whole text to lines of it',
    before: { 'a.txt': 'text\nmore\n' },
    call: ['view', { path: 'a.txt', start_line: 2, return_hash: true }],
    result: { ...bounded('more\n', { start_line: 2 }, 'text\nmore\n', 2), hash: '11500e13438eb2b1' },
  },
  {
    title: 'returns what exists of a text without lines',
    before: { bom: '\ufeff' },
    call: ['view', { path: 'bom', end_line: 1 }],
    result: bounded('\ufeff', { end_line: 1 }, '\ufeff', 0),
  },
  {
    title: 'refuses a range that ends before it starts',
    before: { 'a.txt': mixed },
    call: ['view', { path: 'a.txt', start_line: 5, end_line: 3 }],
    error: badLine('a.txt', 'Invalid line range: start 5 > end 3'),
  },
  ...['missing.txt', 'missing/a.txt', ''].map((path): Case => ({
    title: `refuses it before it looks what is at ${JSON.stringify(path)}`,
    call: ['view', { path, start_line: 5, end_line: 3 }],
    error: badLine(path, 'Invalid line range: start 5 > end 3'),
  })),
  {
    title: 'refuses a range that starts past the end',
    before: { 'a.txt': mixed },
    call: ['view', { path: 'a.txt', start_line: 9 }],
    error: badLine('a.txt', 'Start line 9 exceeds file length 5'),
  },
  ...[0, -1, 1.5, 'two'].map((start_line): Case => ({
    title: `refuses ${JSON.stringify(start_line)} as a line`,
    before: { 'a.txt': mixed },
    call: ['view', { path: 'a.txt', start_line }],
    error: badLine('a.txt', 'Line numbers must be positive integers'),
  })),
  {
    title: 'refuses lines of a text of more lines than the limit',
    options: lowLimits,
    before: { long: '1\n2\n3' },
    call: ['view', { path: 'long', end_line: 1 }],
    error: pathError('file_too_large', 'long', 'File has 3 lines, exceeds maximum 2'),
  },
  {
    title: 'refuses lines of a file that is larger than the limit',
    options: lowLimits,
    before: { large: new Uint8Array(1_048_577) },
    call: ['view', { path: 'large', end_line: 1 }],
    error: pathError('file_too_large', 'large', 'File size 1.1MB exceeds maximum limit 1MB'),
  },
  {
    title: 'refuses lines of bytes that are not text',
    before: { bytes: Uint8Array.of(0x0a, 0xff) },
    call: ['view', { path: 'bytes', start_line: 1 }],
    error: pathError(
      'invalid_params',
      'bytes',
      'Invalid params: start_line and end_line are for texts, not for bytes that are not UTF-8',
    ),
  },
  {
    title: 'refuses lines of a directory',
    before: { 'sub/a.txt': '' },
    call: ['view', { path: 'sub', end_line: 1 }],
    error: pathError(
      'invalid_params',
      'sub',
      'Invalid params: start_line and end_line are for texts, not for a directory',
    ),
  },
  {
    title: 'refuses invalid parameters',
    call: ['view', { path: 7 }],
    error: {
      code: -32602,
      status: 400,
      message: 'Invalid params: /path must be a string, not a number',
      details: /^File or directory; "" is the root\. Correct /,
      data: { reason: 'invalid_params' },
    },
  },
]);
