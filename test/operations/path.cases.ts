import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OperationName } from '../../src/core/operations.js';
import { type Case, pathError, pathTools, withOptions } from './case.js';

/** Every way to use a path. */
const uses: readonly ((path: string) => readonly [OperationName, Record<string, unknown>])[] = [
  (path) => ['view', { path }],
  (path) => ['create', { path, content: 'x', encoding: 'utf-8' }],
  (path) => ['str_replace', { path, old_str: 'secret', new_str: 'x' }],
  (path) => ['insert', { path, insert_line: 1, new_str: 'x' }],
  (path) => ['apply_edits', { path, edits: [{ old_string: 'secret', new_string: 'x' }] }],
  (path) => ['delete', { path }],
  (path) => ['rename', { old_path: path, new_path: 'moved' }],
  (path) => ['rename', { old_path: 'inside.txt', new_path: path }],
];

const outside = (directory: string): string => join(dirname(directory), `${basename(directory)}-outside`);

/** A file and an empty directory beside the working directory, which must stay unchanged, and paths to them. */
function surround(directory: string): void {
  const beside = outside(directory);
  mkdirSync(beside, { recursive: true });
  writeFileSync(join(beside, 'secret.txt'), 'secret');
  symlinkSync(beside, join(directory, 'out'));
  symlinkSync(join(beside, 'secret.txt'), join(directory, 'out.txt'));
  symlinkSync(join(beside, 'missing.txt'), join(directory, 'out-missing'));
  symlinkSync('out', join(directory, 'twice'));
  symlinkSync('..', join(directory, 'up'));
  symlinkSync('loop', join(directory, 'loop'));
  mkdirSync(join(directory, 'sub'));
  symlinkSync('../..', join(directory, 'sub', 'above'));
  mkdirSync(join(directory, '.file-editor'), { recursive: true });
  symlinkSync('.file-editor', join(directory, 'reserved'));
  symlinkSync('.file-editor/new.lock', join(directory, 'reserved-file'));
}

const escapes = 'Path escapes base directory';

/** Refused by their text alone: one check for all tools. */
const escapingByName: readonly (readonly [string, string])[] = [
  ['..', '..'],
  ['many ways up', '../../../etc/passwd'],
  ['a way up after a directory', 'sub/../../secret.txt'],
  ['a way up and back, even for a moment', '../inside.txt'],
  ['a way up by backslashes', '..\\secret.txt'],
  ['a way up by both', 'sub\\../..\\secret.txt'],
  ['a way up after a missing directory', 'missing/../../secret.txt'],
  ['an absolute path by a backslash', '\\etc\\passwd'],
  ['two slashes', '//host/share'],
  ['a drive', 'C:\\secret.txt'],
  ['a drive without a slash', 'c:secret.txt'],
  ['a drive with a slash', 'Z:/secret.txt'],
];

const escaping: readonly (readonly [string, string])[] = [
  ['a way up', '../secret.txt'],
  ['an absolute path', '/etc/passwd'],
  ['a file through a link to a directory outside', 'out/secret.txt'],
  ['a missing file through that link', 'out/new/deep.txt'],
  ['a link to a file outside', 'out.txt'],
  ['a link to a directory outside', 'out'],
  ['a link upwards', 'up'],
  ['a link in a loop', 'loop'],
  ['a link to a link that leads outside', 'twice/secret.txt'],
  ['a file through a link upwards', 'up/secret.txt'],
  ['a file through a link upwards in a subdirectory', 'sub/above/secret.txt'],
  ['a file through a link in a loop', 'loop/x'],
  ['a way back from outside', 'out/../inside.txt'],
];

const reserved: readonly (readonly [string, string])[] = [
  ['the reserved directory', '.file-editor'],
  ['the reserved directory in another case', '.File-Editor/0001.lock'],
  ['the reserved directory followed by dots and spaces', '.file-editor. ./x'],
  ['a reserved name in a subdirectory', 'sub/.file-editor/x'],
  ['a link to the reserved directory', 'reserved'],
  ['a file through a link to the reserved directory', 'reserved/0001.lock'],
];

/** Paths that are links. */
const links: ReadonlySet<string> = new Set(['out.txt', 'out', 'up', 'loop', 'reserved']);

function refusal(what: string, path: string, use: (typeof uses)[number], message = escapes): Case {
  const [operation, params] = use(path);
  return {
    title: `refuses ${what}: ${JSON.stringify(params)}`,
    before: { 'inside.txt': 'inside' },
    prepare: surround,
    call: [operation, params],
    error: pathError('path_security', path, message),
    check: (directory) => {
      assert.equal(existsSync(join(outside(directory), 'secret.txt')), true);
      assert.equal(existsSync(join(outside(directory), 'missing.txt')), false);
      assert.equal(existsSync(join(outside(directory), 'new')), false);
    },
  };
}

const malformed: readonly (readonly [string, string, string])[] = [
  ['a NUL character', 'a\0b', 'holds a NUL character'],
  ['a part of more than 255 bytes', `sub/${'ü'.repeat(128)}`, 'has a part that is longer than 255 bytes'],
  ['more than 4096 bytes', 'a/'.repeat(2_049), 'is longer than 4096 bytes'],
];

/** A path that exists is refused for that before the server resolves it. */
const usesOf = (path: string): typeof uses => uses.filter((use) => !(links.has(path) && isNew(use)));

const isReserved = "'.file-editor' is reserved for the server";

export const pathCases: readonly Case[] = withOptions(pathTools, [
  ...escapingByName.flatMap(([what, path]) => uses.slice(0, 1).map((use) => refusal(what, path, use))),
  ...escaping.flatMap(([what, path]) => usesOf(path).map((use) => refusal(what, path, use))),
  ...reserved.flatMap(([what, path]) => usesOf(path).map((use) => refusal(what, path, use, isReserved))),
  ...uses.slice(0, 1).map((use) => refusal('a dangling link that leads outside', 'out-missing', use)),
  ...uses.slice(0, 1).map((use) => refusal('a link to a file that is reserved', 'reserved-file', use, isReserved)),
  ...uses.map((use): Case => {
    const refused = refusal('a lone slash', '/', use);
    const details = /^The working directory itself is "", and paths in it have no slash in front/;
    return { ...refused, error: pathError('path_security', '/', escapes, { details }) };
  }),
  ...malformed.flatMap(([what, path, problem]) =>
    uses.map((use): Case => {
      const [operation, params] = use(path);
      const parameter = Object.keys(params).find((name) => params[name] === path) ?? '';
      return {
        title: `refuses ${what} in ${parameter}`,
        before: { 'inside.txt': '' },
        call: [operation, params],
        error: pathError('invalid_params', path.slice(0, 4096), `Invalid params: /${parameter} ${problem}`, {
          details: /^Send a .*path/,
        }),
      };
    }),
  ),
  ...uses.map((use): Case => {
    const [operation, params] = use('sub/\ud800');
    const parameter = Object.keys(params).find((name) => params[name] === 'sub/\ud800') ?? '';
    const refused = String(params[parameter]);
    return {
      title: `refuses a lone surrogate in ${parameter}`,
      before: { 'inside.txt': '' },
      call: [operation, params],
      error: pathError('invalid_encoding', refused.toWellFormed(), 'Content does not match specified encoding', {
        details: new RegExp(`^/${parameter} must be well-formed Unicode`),
      }),
    };
  }),
  {
    // No system accepts a path that long: its target is simply missing.
    title: 'finds nothing at the longest path that may be sent',
    call: ['view', { path: `${'x/'.repeat(2_047)}a` }],
    error: pathError('file_not_found', `${'x/'.repeat(2_047)}a`, `File not found: ${'x/'.repeat(2_047)}a`),
  },
  {
    title: 'takes a path with many parts of 255 bytes',
    call: ['create', { path: `${`${'x'.repeat(255)}/`.repeat(15)}a`, content: 'x', encoding: 'utf-8' }],
    result: { success: true, path: `${`${'x'.repeat(255)}/`.repeat(15)}a` },
    after: { [`${`${'x'.repeat(255)}/`.repeat(15)}a`]: 'x' },
  },
  {
    title: 'goes through many directories and back',
    before: { 'a/b/c/d': '', 'inside.txt': 'x' },
    call: ['view', { path: 'a/b/c/../../../a/./b/../..//inside.txt' }],
    result: { type: 'file', content: 'x', encoding: 'utf-8', size: 1 },
  },
  {
    title: 'does not go through a file and back',
    before: { 'a.txt': '', 'inside.txt': 'x' },
    call: ['view', { path: 'a.txt/../inside.txt' }],
    error: pathError('not_a_directory', 'a.txt/../inside.txt', 'Not a directory: a.txt/../inside.txt'),
  },
  {
    title: 'names the missing directory that the path leaves again, not the file, which exists',
    before: { 'inside.txt': 'x' },
    call: ['view', { path: 'missing/../inside.txt' }],
    error: pathError('file_not_found', 'missing/../inside.txt', 'File not found: missing/../inside.txt', {
      details: /^There is no directory 'missing' in the working directory\. /,
    }),
  },
]);

function isNew(use: (typeof uses)[number]): boolean {
  const [operation, params] = use('path');
  return operation === 'create' || params['new_path'] === 'path';
}
