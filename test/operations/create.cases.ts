import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
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

const create = (path: string, content = 'new', encoding = 'utf-8'): Case['call'] => [
  'create',
  { path, content, encoding },
];
const wrongEncoding = (path: string, details?: RegExp): ExpectedError =>
  pathError('invalid_encoding', path, 'Content does not match specified encoding', details ? { details } : {});

/** Longer texts than 256 kB are parsed in a different way. */
const largeText = '\ufeffa "line" with\t\\ and ü, 日本, 😀\r\n'.repeat(10_000);
const largeBytes = Buffer.alloc(400_001, Uint8Array.of(0xff, 0x00, 0x80, 0x7f, 0xfe));

export const createCases: readonly Case[] = withOptions(pathTools, [
  {
    title: 'makes a file with exactly the content',
    call: create('a.txt', '\ufeffone\r\ntwo'),
    result: { success: true, path: 'a.txt' },
    told: 'OK: a.txt',
    after: { 'a.txt': '\ufeffone\r\ntwo' },
  },
  {
    title: 'makes all parents, with the usual rights',
    call: create('deep/nested/path/file.txt'),
    result: { success: true, path: 'deep/nested/path/file.txt' },
    after: { 'deep/nested/path/file.txt': 'new' },
    check: (directory) => {
      // Like the directories of this process: the server has inherited its umask.
      mkdirSync(join(directory, 'usual'));
      writeFileSync(join(directory, 'usual', 'file.txt'), '');
      for (const [made, usual] of [
        ['deep/nested', 'usual'],
        ['deep/nested/path/file.txt', 'usual/file.txt'],
      ] as const) {
        assert.equal(statSync(join(directory, made)).mode, statSync(join(directory, usual)).mode);
      }
    },
  },
  {
    title: 'goes into an existing directory, also through a link and with backslashes',
    before: { 'deep/er/old.txt': 'old' },
    make: { short: linkTo('deep/er') },
    call: create('short\\more\\a.txt'),
    result: { success: true, path: 'short\\more\\a.txt' },
    after: { 'deep/er/old.txt': 'old', 'deep/er/more/a.txt': 'new' },
  },
  {
    title: 'makes an empty file',
    call: create('empty', ''),
    result: { success: true, path: 'empty' },
    after: { empty: '' },
  },
  {
    title: 'decodes base64',
    call: create('logo.png', 'iVBOR/8=', 'base64'),
    result: { success: true, path: 'logo.png' },
    after: { 'logo.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff) },
  },
  {
    title: 'makes a file of a large text',
    call: create('large.txt', largeText),
    result: { success: true, path: 'large.txt' },
    after: { 'large.txt': largeText },
  },
  {
    title: 'decodes large base64',
    call: create('large.bin', largeBytes.toString('base64'), 'base64'),
    result: { success: true, path: 'large.bin' },
    after: { 'large.bin': largeBytes },
  },
  {
    title: 'reports the line break that the command base64 adds',
    call: create('a.txt', 'aGVsbG8gd29ybGQ=\n', 'base64'),
    error: wrongEncoding('a.txt', /^The character at position 17 is not base64/),
  },
  {
    title: 'checks the path before the text: what exists is reported first',
    before: { 'a.txt': 'old' },
    call: create('a.txt', '!', 'base64'),
    error: pathError('file_exists', 'a.txt', 'File already exists: a.txt'),
  },
  {
    title: 'checks the path before the text: a file on the way is reported first',
    before: { 'a.txt': 'old' },
    call: create('a.txt/b', '!', 'base64'),
    error: pathError('not_a_directory', 'a.txt/b', 'Not a directory: a.txt/b'),
  },
  {
    title: 'refuses large invalid base64, and says where',
    call: create('large.bin', `${largeBytes.toString('base64').slice(0, 400_000)}ü===`, 'base64'),
    error: wrongEncoding('large.bin', /position 400001/),
  },
  {
    title: 'refuses a large text with half a character',
    call: create('large.txt', `${largeText}\ud800`),
    error: wrongEncoding('large.txt'),
  },
  {
    title: 'adds the hash on demand',
    call: ['create', { path: 'a.txt', content: 'x', encoding: 'utf-8', return_hash: true }],
    result: { success: true, path: 'a.txt', hash: /^[0-9a-f]{16}$/ },
    after: { 'a.txt': 'x' },
  },
  {
    title: 'makes hidden files and names with characters that only some systems allow',
    call: create('.config/a b*ü?.txt'),
    result: { success: true, path: '.config/a b*ü?.txt' },
    after: { '.config/a b*ü?.txt': 'new' },
  },
  {
    title: 'never overwrites a file',
    before: { 'config.json': '{"version": 1}' },
    call: create('config.json', '{}'),
    error: pathError('file_exists', 'config.json', 'File already exists: config.json', {
      details: /A file is there: edit it/,
    }),
  },
  {
    title: 'never replaces a directory',
    before: { 'sub/a.txt': '' },
    call: create('sub'),
    error: pathError('file_exists', 'sub', 'File already exists: sub', { details: /A directory is there/ }),
  },
  {
    title: 'never replaces the working directory',
    call: create('./'),
    error: pathError('file_exists', './', 'File already exists: ./', { details: /working directory itself/ }),
  },
  {
    title: 'never replaces a link, nor writes through a dangling one',
    make: { link: linkTo('nowhere') },
    call: create('link'),
    error: pathError('file_exists', 'link', 'File already exists: link', { details: /A symbolic link is there/ }),
    check: (directory) => {
      assert.equal(readlinkSync(join(directory, 'link')), 'nowhere');
      assert.equal(existsSync(join(directory, 'nowhere')), false);
    },
  },
  {
    title: 'never replaces anything else that exists',
    make: { pipe: makeFifo },
    call: create('pipe'),
    error: pathError('file_exists', 'pipe', 'File already exists: pipe', { details: /neither file nor directory/ }),
    check: (directory) => {
      assert.ok(lstatSync(join(directory, 'pipe')).isFIFO());
    },
  },
  {
    title: 'replaces the placeholder of a move whose process was killed',
    make: { 'a.txt': linkTo('.file-editor/moving/here') },
    call: create('a.txt'),
    result: { success: true, path: 'a.txt' },
    after: { 'a.txt': 'new' },
  },
  {
    title: 'does not make a file of a directory path',
    call: create('new/'),
    error: pathError('invalid_params', 'new/', 'Invalid params: /path ends as the path of a directory does'),
  },
  {
    title: 'does not go through a file',
    before: { 'a.txt': 'text' },
    call: create('a.txt/sub/b.txt'),
    error: pathError('not_a_directory', 'a.txt/sub/b.txt', 'Not a directory: a.txt/sub/b.txt'),
  },
  {
    title: 'does not go through a missing directory and back',
    call: create('missing/../a.txt'),
    error: pathError('file_not_found', 'missing/../a.txt', 'File not found: missing/../a.txt'),
    check: (directory) => {
      assert.equal(existsSync(join(directory, 'missing')), false);
    },
  },
  {
    title: 'does not make a directory in place of a dangling link',
    make: { link: linkTo('nowhere') },
    call: create('link/a.txt'),
    error: pathError('file_not_found', 'link/a.txt', 'File not found: link/a.txt'),
    check: (directory) => {
      assert.equal(existsSync(join(directory, 'nowhere')), false);
    },
  },
  {
    title: 'goes through a directory and back',
    before: { 'sub/a.txt': '' },
    call: create('sub/../b.txt'),
    result: { success: true, path: 'sub/../b.txt' },
    after: { 'sub/a.txt': '', 'b.txt': 'new' },
  },
  {
    title: 'makes no directory for a file that it refuses',
    options: lowLimits,
    call: create('sub/a.txt', 'a\nb\nc\n'),
    error: pathError('file_too_large', 'sub/a.txt', 'File has 3 lines, exceeds maximum 2'),
    check: (directory) => {
      assert.equal(existsSync(join(directory, 'sub')), false);
    },
  },
  {
    title: 'counts the lines of text that comes in base64, too',
    options: lowLimits,
    call: create('sub/a.txt', Buffer.from('one\ntwo\nthree').toString('base64'), 'base64'),
    error: pathError('file_too_large', 'sub/a.txt', 'File has 3 lines, exceeds maximum 2'),
  },
  {
    title: 'does not count lines in data that is not text',
    options: lowLimits,
    call: create('bytes', Buffer.from([10, 10, 10, 0xff]).toString('base64'), 'base64'),
    result: { success: true, path: 'bytes' },
    after: { bytes: Buffer.from([10, 10, 10, 0xff]) },
  },
  {
    title: 'leaves a directory that it did not make',
    make: { sub: aDirectory },
    call: create('sub/more/a.txt'),
    result: { success: true, path: 'sub/more/a.txt' },
    after: { 'sub/more/a.txt': 'new' },
  },
  ...(
    [
      ['without its padding', 'iVBOR/8'],
      ['with too much padding', 'YQ==='],
      ['with padding alone', '===='],
      ['with padding inside', 'YQ==YQ=='],
      ['of the alphabet for file names', 'iVBOR_8='],
      ['with line breaks', 'YWJj\nYWJj'],
      ['with spaces', 'YW Jj'],
      ['that is text', 'hello world'],
    ] as const
  ).map(([what, content]): Case => ({
    title: `refuses base64 ${what}`,
    call: create('sub/bytes', content, 'base64'),
    error: wrongEncoding('sub/bytes'),
    check: (directory) => {
      assert.equal(existsSync(join(directory, 'sub')), false);
    },
  })),
  {
    title: 'refuses text that is not well-formed',
    call: create('a.txt', 'a\ud800b'),
    error: wrongEncoding('a.txt', /^\/content must be well-formed Unicode/),
  },
  {
    title: 'refuses another encoding',
    call: create('a.txt', 'x', 'latin1'),
    error: pathError('invalid_params', 'a.txt', 'Invalid params: /encoding must be one of "utf-8", "base64"'),
  },
  {
    title: 'takes the content as text if no encoding is given',
    call: ['create', { path: 'a.txt', content: 'bmV3' }],
    result: { success: true, path: 'a.txt' },
    after: { 'a.txt': 'bmV3' },
  },
]);
