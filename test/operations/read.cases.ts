import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, invalidParams, lowLimits } from './case.js';

const five = 'one\ntwo\nthree\nfour\nfive\n';

const link =
  (target: string, name: string) =>
  (directory: string): void => {
    symlinkSync(target, join(directory, name));
  };

export const readCases: readonly Case[] = [
  {
    title: 'reads a whole file, without the final separator',
    before: { 'a.txt': five },
    call: ['read_file', { name: 'a.txt' }],
    result: { content: 'one\ntwo\nthree\nfour\nfive', total_lines: 5 },
    told: 'File: a.txt (5 lines)\n\none\ntwo\nthree\nfour\nfive',
  },
  {
    title: 'reads a range and echoes exactly the bounds that were given',
    before: { 'a.txt': five },
    call: ['read_file', { name: 'a.txt', start_line: 2, end_line: 3 }],
    result: { content: 'two\nthree', total_lines: 5, range_requested: { start_line: 2, end_line: 3 } },
  },
  {
    title: 'reads from a line to the end',
    before: { 'a.txt': five },
    call: ['read_file', { name: 'a.txt', start_line: 5 }],
    result: { content: 'five', total_lines: 5, range_requested: { start_line: 5 } },
  },
  {
    title: 'clamps an end past the end, and echoes it as it was given',
    before: { 'a.txt': five },
    call: ['read_file', { name: 'a.txt', end_line: 99 }],
    result: { content: 'one\ntwo\nthree\nfour\nfive', total_lines: 5, range_requested: { end_line: 99 } },
  },
  {
    title: 'reads an empty file',
    before: { 'a.txt': '' },
    call: ['read_file', { name: 'a.txt', end_line: 3 }],
    result: { content: '', total_lines: 0, range_requested: { end_line: 3 } },
  },
  {
    title: 'knows three separators and no others',
    before: { 'a.txt': 'a\r\nb\rc\u2028d\u0085e\u000bf\fg\n\nh' },
    call: ['read_file', { name: 'a.txt' }],
    result: { content: 'a\nb\nc\u2028d\u0085e\u000bf\fg\n\nh', total_lines: 5 },
  },
  {
    title: 'takes a single separator for one empty line',
    before: { 'a.txt': '\n' },
    call: ['read_file', { name: 'a.txt' }],
    result: { content: '', total_lines: 1 },
  },
  {
    title: 'gives back every code point: NUL, quotes, astral ones, noncharacters',
    before: { 'a.txt': 'nul \u0000 quote " backslash \\ tab \t 😀 \uffff e\u0301 é\n' },
    call: ['read_file', { name: 'a.txt' }],
    result: { content: 'nul \u0000 quote " backslash \\ tab \t 😀 \uffff e\u0301 é', total_lines: 1 },
  },
  {
    title: 'delivers a byte order mark in front of line 1',
    before: { 'a.txt': '\ufeffone\ntwo\n' },
    call: ['read_file', { name: 'a.txt', end_line: 1 }],
    result: { content: '\ufeffone', total_lines: 2, range_requested: { end_line: 1 } },
  },
  {
    title: 'but not in front of line 2',
    before: { 'a.txt': '\ufeffone\ntwo\n' },
    call: ['read_file', { name: 'a.txt', start_line: 2 }],
    result: { content: 'two', total_lines: 2, range_requested: { start_line: 2 } },
  },
  {
    title: 'and alone in a file that has no lines',
    before: { 'a.txt': '\ufeff' },
    call: ['read_file', { name: 'a.txt' }],
    result: { content: '\ufeff', total_lines: 0 },
  },
  {
    title: 'adds the hash on demand',
    before: { 'a.txt': five },
    call: ['read_file', { name: 'a.txt', start_line: 1, end_line: 1, return_hash: true }],
    result: {
      content: 'one',
      total_lines: 5,
      range_requested: { start_line: 1, end_line: 1 },
      hash: /^[0-9a-f]{16,}$/,
    },
  },
  {
    title: 'reads hidden files',
    before: { '.hidden': 'text' },
    call: ['read_file', { name: '.hidden' }],
    result: { content: 'text', total_lines: 1 },
  },
  {
    title: 'reads a name of 255 characters',
    before: { ['n'.repeat(255)]: 'text' },
    call: ['read_file', { name: 'n'.repeat(255) }],
    result: { content: 'text', total_lines: 1 },
  },
  {
    title: 'reads through a link inside the directory',
    before: { 'a.txt': five },
    prepare: link('a.txt', 'link'),
    call: ['read_file', { name: 'link', end_line: 1 }],
    result: { content: 'one', total_lines: 5, range_requested: { end_line: 1 } },
  },
  {
    title: 'reads what a 1 MB file holds',
    before: { 'a.txt': `${'x'.repeat(99)}\n`.repeat(10_486) },
    call: ['read_file', { name: 'a.txt', start_line: 10_486 }],
    result: { content: 'x'.repeat(99), total_lines: 10_486, range_requested: { start_line: 10_486 } },
  },

  {
    title: 'refuses a range that ends before it starts',
    before: { 'a.txt': five },
    call: ['read_file', { name: 'a.txt', start_line: 5, end_line: 3 }],
    error: invalidParams('Invalid line range: start 5 > end 3'),
  },
  {
    title: 'refuses a start past the end',
    before: { 'a.txt': five },
    call: ['read_file', { name: 'a.txt', start_line: 9 }],
    error: invalidParams('Start line 9 exceeds file length 5'),
  },
  {
    title: 'takes any whole number for a line, however large',
    before: { 'a.txt': five },
    call: ['read_file', { name: 'a.txt', start_line: 2 ** 53 }],
    error: invalidParams('Start line 9007199254740992 exceeds file length 5'),
  },
  {
    title: 'ends a range at the end of the file, however far behind that it should end',
    before: { 'a.txt': five },
    call: ['read_file', { name: 'a.txt', start_line: 5, end_line: 1e300 }],
    result: {
      content: five.trimEnd().split('\n').at(-1),
      total_lines: 5,
      range_requested: { start_line: 5, end_line: 1e300 },
    },
  },
  {
    title: 'refuses a start in an empty file',
    before: { 'a.txt': '' },
    call: ['read_file', { name: 'a.txt', start_line: 1 }],
    error: invalidParams('Start line 1 exceeds file length 0'),
  },
  {
    title: 'says that a file is missing before it looks at the range',
    call: ['read_file', { name: 'missing.txt', start_line: 5, end_line: 3 }],
    error: { code: -32001, status: 404, message: "File 'missing.txt' not found" },
  },
  ...[
    '',
    '.',
    '..',
    '../a.txt',
    'a/b',
    'a\\b',
    '/etc/passwd',
    '.file-editor',
    'CON',
    'nul.txt',
    'a.',
    'a b',
    'é',
    'n'.repeat(256),
  ].map((name): Case => ({
    title: `refuses the name ${JSON.stringify(name.slice(0, 20))}`,
    call: ['read_file', { name }],
    error: invalidParams(/^Invalid filename format/),
  })),
  {
    title: 'takes any but dangerous names with --names=unicode',
    options: { names: 'unicode' },
    before: { 'naïve plan – 1.txt': 'text' },
    call: ['read_file', { name: 'naïve plan – 1.txt' }],
    result: { content: 'text', total_lines: 1 },
  },
  ...([{}, { name: 1 }, { name: 'a.txt', other: 1 }, []] as const).map((params): Case => ({
    title: `refuses the parameters ${JSON.stringify(params)}`,
    before: { 'a.txt': five },
    call: ['read_file', params],
    error: invalidParams(/^Invalid params: /),
  })),
  ...[{ start_line: 0 }, { start_line: 1.5 }, { end_line: 'two' }, { start_line: -1, end_line: 0 }].map(
    (bounds): Case => ({
      title: `refuses ${JSON.stringify(bounds)}, which are no line numbers`,
      before: { 'a.txt': five },
      call: ['read_file', { name: 'a.txt', ...bounds }],
      error: invalidParams(
        'Line numbers must be positive integers',
        new RegExp(`${Object.keys(bounds).join(', /')}\\.$`),
      ),
    }),
  ),
  {
    title: 'refuses a link that leads outside',
    prepare: link('/etc/passwd', 'link'),
    call: ['read_file', { name: 'link' }],
    error: { code: -32001, status: 403, message: "Permission denied accessing 'link'" },
  },
  {
    title: 'refuses a link in a loop',
    prepare: link('link', 'link'),
    call: ['read_file', { name: 'link' }],
    error: { code: -32001, status: 403, message: "Permission denied accessing 'link'" },
  },
  {
    title: 'does not find what a dangling link names',
    prepare: link('missing.txt', 'link'),
    call: ['read_file', { name: 'link' }],
    error: { code: -32001, status: 404, message: "File 'link' not found" },
  },
  {
    title: 'does not find what a link names that no file can be called',
    prepare: link('x'.repeat(300), 'link'),
    call: ['read_file', { name: 'link' }],
    error: { code: -32001, status: 404, message: "File 'link' not found" },
  },
  {
    title: 'takes a link to the working directory for the directory it is',
    prepare: link('.', 'link'),
    call: ['read_file', { name: 'link' }],
    error: { code: -32001, status: 400, message: "'link' is not a regular file" },
  },
  {
    title: 'refuses a directory',
    prepare: (directory) => {
      mkdirSync(join(directory, 'folder'));
    },
    call: ['read_file', { name: 'folder' }],
    error: { code: -32001, status: 400, message: "'folder' is not a regular file" },
  },
  {
    title: 'refuses a FIFO without waiting for it',
    prepare: (directory) => {
      execFileSync('mkfifo', [join(directory, 'fifo')]);
    },
    call: ['read_file', { name: 'fifo' }],
    error: { code: -32001, status: 400, message: "'fifo' is not a regular file" },
  },
  {
    title: 'refuses a file larger than the limit, with its size rounded up',
    options: lowLimits,
    before: { 'a.txt': Buffer.alloc(1_048_577, 'x') },
    call: ['read_file', { name: 'a.txt' }],
    error: { code: -32001, status: 413, message: 'File size 1.1MB exceeds maximum limit 1MB' },
  },
  {
    title: 'refuses more lines than --max-lines',
    options: lowLimits,
    before: { 'a.txt': five },
    call: ['read_file', { name: 'a.txt', start_line: 9 }],
    error: { code: -32001, status: 413, message: 'File has 5 lines, exceeds maximum 2' },
  },
  ...[[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x61, 0xe2, 0x82]].map((bytes): Case => ({
    title: `refuses the bytes ${Buffer.from(bytes).toString('hex')}, which are not UTF-8`,
    before: { 'a.txt': Buffer.from(bytes) },
    call: ['read_file', { name: 'a.txt' }],
    error: { code: -32001, status: 400, message: 'File contains invalid UTF-8 encoding' },
  })),
];
