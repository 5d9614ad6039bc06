import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, invalidParams, lowLimits } from './case.js';

/** 2025-06-04T10:30:00.500Z: time stamps have milliseconds. */
const time = 1_749_033_000.5;
const modified = '2025-06-04T10:30:00.500Z';

const stamp = (directory: string, ...names: string[]): void => {
  for (const name of names) utimesSync(join(directory, name), time, time);
};

const file = (name: string, size: number, lines: number, more: object = {}): object => ({
  name,
  size,
  modified,
  readable: true,
  writable: true,
  lines,
  ...more,
});

export const listCases: readonly Case[] = [
  {
    title: 'lists nothing in an empty directory',
    call: ['list_files', {}],
    result: (directory) => ({ files: [], total_count: 0, directory }),
    told: 'Files in directory:\n\nTotal files: 0',
  },
  {
    title: 'lists files with size, time, rights and lines, sorted by code point',
    before: { 'b.txt': 'one\ntwo', 'a.txt': 'one\r\ntwo\r\n', 'B.txt': '', 'a-b': '\n' },
    prepare: (directory) => {
      stamp(directory, 'b.txt', 'a.txt', 'B.txt', 'a-b');
    },
    call: ['list_files', {}],
    result: (directory) => ({
      files: [file('B.txt', 0, 0), file('a-b', 1, 1), file('a.txt', 10, 2), file('b.txt', 7, 2)],
      total_count: 4,
      directory,
    }),
  },
  {
    title: 'sorts astral names after those that UTF-16 would put after them',
    options: { names: 'unicode' },
    before: { '\u{1F600}': '', '\uff5e': '' },
    prepare: (directory) => {
      stamp(directory, '\u{1F600}', '\uff5e');
    },
    call: ['list_files', {}],
    result: (directory) => ({ files: [file('\uff5e', 0, 0), file('\u{1F600}', 0, 0)], total_count: 2, directory }),
  },
  {
    title: 'leaves out hidden files, directories, FIFOs and names that are not UTF-8',
    before: { '.hidden': 'x', 'a.txt': 'x' },
    prepare: (directory) => {
      mkdirSync(join(directory, 'folder'));
      execFileSync('mkfifo', [join(directory, 'fifo')]);
      writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0x61, 0xff])]), '');
      stamp(directory, 'a.txt');
    },
    call: ['list_files', {}],
    result: (directory) => ({ files: [file('a.txt', 1, 1)], total_count: 1, directory }),
  },
  {
    title: 'lists a link to a file inside with the size and lines of its target, and no other link',
    prepare: (directory) => {
      mkdirSync(join(directory, 'sub'));
      mkdirSync(join(directory, '.file-editor'), { recursive: true });
      writeFileSync(join(directory, 'sub/a.txt'), 'one\ntwo\n');
      writeFileSync(join(directory, '.file-editor/x'), 'x');
      stamp(directory, 'sub/a.txt');
      symlinkSync('sub/a.txt', join(directory, 'inside'));
      symlinkSync('/etc/passwd', join(directory, 'outside'));
      symlinkSync('missing', join(directory, 'dangling'));
      symlinkSync('loop', join(directory, 'loop'));
      symlinkSync('sub', join(directory, 'to-folder'));
      symlinkSync('.file-editor/x', join(directory, 'to-reserved'));
    },
    call: ['list_files', {}],
    result: (directory) => ({ files: [file('inside', 8, 2)], total_count: 1, directory }),
  },
  {
    title: 'lists files with unusable names as neither readable nor writable',
    before: { 'a b.txt': 'text', CON: 'text' },
    prepare: (directory) => {
      stamp(directory, 'a b.txt', 'CON');
    },
    call: ['list_files', {}],
    result: (directory) => ({
      files: ['CON', 'a b.txt'].map((name) => file(name, 4, -1, { readable: false, writable: false })),
      total_count: 2,
      directory,
    }),
  },
  {
    title: 'gives -1 lines where they cannot be counted: not UTF-8, or larger than a limit',
    options: lowLimits,
    before: { binary: Buffer.from([0xff]), large: Buffer.alloc(1_048_577, 'x'), long: 'a\nb\nc\n', fine: 'a\nb\n' },
    prepare: (directory) => {
      stamp(directory, 'binary', 'large', 'long', 'fine');
    },
    call: ['list_files', {}],
    result: (directory) => ({
      files: [file('binary', 1, -1), file('fine', 4, 2), file('large', 1_048_577, -1), file('long', 6, -1)],
      total_count: 4,
      directory,
    }),
  },
  {
    title: 'refuses parameters',
    call: ['list_files', { path: 'sub' }],
    error: invalidParams(/^Invalid params: /),
  },
];
