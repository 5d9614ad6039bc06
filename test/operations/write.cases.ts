import { lstatSync, mkdirSync, readlinkSync } from 'node:fs';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import {
  aDirectory,
  type Case,
  type ExpectedError,
  type Files,
  linkTo,
  lowLimits,
  pathError,
  pathTools,
  withOptions,
} from './case.js';

const path = 'notes/a.md';
const old = 'one\ntwo\n';
/** Of `old`, as `xxhsum -H3` prints it. */
const hash = '6e628429ca24c01d';
const bytes = Uint8Array.of(0xff, 0xfe, 0, 10);
/** Longer texts than 256 kB stay bytes all the way. */
const large = 'a "line" with\t\\, ü, 日本 and 😀\r\n'.repeat(10_000);

const write = (content: string, more: object = {}): Case['call'] => ['write', { path, content, ...more }];

const written = (
  title: string,
  before: string | Uint8Array | undefined,
  call: Case['call'],
  after: string | Uint8Array,
  more: Partial<Case> = {},
): Case => ({
  title,
  ...(before === undefined ? {} : { before: { [path]: before } }),
  call,
  result: { success: true, path, created: before === undefined },
  told: `OK: ${path}`,
  after: { [path]: after },
  ...more,
});

const refusal = (title: string, call: Case['call'], error: ExpectedError, before: Files = { [path]: old }): Case => ({
  title,
  before,
  call,
  error,
});

const changed = (data?: Readonly<Record<string, unknown>>): ExpectedError =>
  pathError('conflict', path, `File '${path}' has changed`, { status: 412, ...(data === undefined ? {} : { data }) });

const howToMake: ExpectedError = {
  ...changed(),
  details:
    /^Nothing was written: no file is at this path\. .* To make this file, send the call again without expected_hash\.$/,
};

export const writeCases: readonly Case[] = withOptions(pathTools, [
  written('makes a file that is not there, with its directories', undefined, write('text'), 'text'),
  written('makes an empty file', undefined, write(''), ''),
  written('makes a file of bytes', undefined, write('//4ACg==', { encoding: 'base64' }), bytes),
  written('makes a file of a large text', undefined, write(`\ufeff${large}`), `\ufeff${large}`),
  written(
    'replaces a file whose hash is sent, with line breaks as given',
    old,
    write('a\r\nb', { expected_hash: hash }),
    'a\r\nb',
  ),
  written('replaces a file of any version for "*"', old, write(large, { expected_hash: '*' }), large),
  written('replaces text with bytes', old, write('//4ACg==', { encoding: 'base64', expected_hash: hash }), bytes),
  written('replaces bytes that are not text', bytes, write('text\n', { expected_hash: '*' }), 'text\n'),
  written(
    'replaces bytes by bytes',
    Uint8Array.of(0xff),
    write('//4ACg==', { encoding: 'base64', expected_hash: '*' }),
    bytes,
  ),
  written('succeeds where the content is there already', old, write(old, { expected_hash: hash }), old),
  written('tells the new hash where it is asked for', 'x', write(old, { expected_hash: '*', return_hash: true }), old, {
    result: { success: true, path, created: false, hash },
  }),
  written('tells the hash of a new file too', undefined, write(old, { return_hash: true }), old, {
    result: { success: true, path, created: true, hash },
  }),
  {
    title: 'replaces the target of a link, which stays a link',
    before: { [path]: old },
    make: { link: linkTo(path) },
    call: ['write', { path: 'link', content: 'new', expected_hash: hash }],
    result: { success: true, path: 'link', created: false },
    after: { [path]: 'new' },
    check: (directory) => {
      assert.equal(readlinkSync(join(directory, 'link')), path);
    },
  },
  {
    title: 'makes a file over the placeholder of a move whose server was killed',
    make: { 'a.md': linkTo('.file-editor/moving/here') },
    call: ['write', { path: 'a.md', content: 'x' }],
    result: { success: true, path: 'a.md', created: true },
    after: { 'a.md': 'x' },
  },
  {
    title: 'replaces a file that has more lines than it may have now',
    options: lowLimits,
    before: { [path]: 'one\ntwo\nthree\n' },
    call: write('one', { expected_hash: '*' }),
    result: { success: true, path, created: false },
    after: { [path]: 'one' },
  },

  refusal(
    'does not replace a file that the caller may not have seen, and tells its hash',
    write('new'),
    pathError('file_exists', path, `File already exists: ${path}`, {
      details: new RegExp(`^Nothing was changed\\. Look at the file first; .* expected_hash "${hash}"\\.$`),
      data: { current_hash: hash },
    }),
  ),
  refusal(
    'does not replace another version',
    write('new', { expected_hash: '0123456789abcdef' }),
    changed({ current_hash: hash }),
  ),
  refusal(
    'takes nothing but a hash or "*" as one',
    write('new', { expected_hash: 'any' }),
    changed({ current_hash: hash }),
  ),
  refusal('makes no file where a version is expected', write('new', { expected_hash: hash }), howToMake, {}),
  refusal('makes no file where any version is expected', write('new', { expected_hash: '*' }), howToMake, {}),
  {
    title: 'does not write to a directory',
    make: { [path]: aDirectory },
    call: write('new'),
    error: pathError('is_directory', path, `Path is a directory: ${path}`),
  },
  {
    title: 'does not write to the working directory',
    call: ['write', { path: '', content: 'new' }],
    error: pathError('is_directory', '', 'Path is a directory: '),
  },
  {
    title: 'does not make the target of a dangling link',
    make: { link: linkTo('missing.md') },
    call: ['write', { path: 'link', content: 'new' }],
    error: pathError('file_exists', 'link', 'File already exists: link', { details: /A symbolic link is there/ }),
    check: (directory) => {
      assert.equal(lstatSync(join(directory, 'missing.md'), { throwIfNoEntry: false }), undefined);
    },
  },
  {
    title: 'does not write through a link that leads outside',
    make: { link: linkTo('/etc/hostname') },
    call: ['write', { path: 'link', content: 'new', expected_hash: '*' }],
    error: pathError('path_security', 'link', 'Path escapes base directory'),
  },
  {
    title: 'makes no directories below a file',
    before: { notes: 'text' },
    call: write('new'),
    error: pathError('not_a_directory', path, `Not a directory: ${path}`),
  },
  refusal(
    'refuses base64 that is none, and makes no directories for it',
    write('a', { encoding: 'base64' }),
    pathError('invalid_encoding', path, 'Content does not match specified encoding'),
    {},
  ),
  refusal(
    'refuses base64 that is none in place of a file',
    write('a', { encoding: 'base64', expected_hash: '*' }),
    pathError('invalid_encoding', path, 'Content does not match specified encoding'),
  ),
  refusal(
    'refuses text that is not well-formed',
    write('\ud800', { expected_hash: '*' }),
    pathError('invalid_encoding', path, 'Content does not match specified encoding', {
      details: /^\/content must be well-formed/,
    }),
  ),
  {
    title: 'refuses content with more lines than a file may have',
    options: lowLimits,
    before: { [path]: old },
    call: write('1\n2\n3\n', { expected_hash: '*' }),
    error: pathError('file_too_large', path, 'File has 3 lines, exceeds maximum 2', { details: /Write fewer/ }),
  },
  {
    title: 'refuses the path of a directory for a new file',
    prepare: (directory) => {
      mkdirSync(join(directory, 'notes'));
    },
    call: ['write', { path: 'notes/new/', content: 'x' }],
    error: pathError('invalid_params', 'notes/new/', /ends as the path of a directory does$/),
  },
]);
