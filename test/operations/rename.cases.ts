import assert from 'node:assert/strict';
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { aDirectory, type Case, type ExpectedError, linkTo, pathError, pathTools, withOptions } from './case.js';
import { makeFifo } from './special-files.js';

const rename = (old_path: string, new_path: string): Case['call'] => ['rename', { old_path, new_path }];
const done = (old_path: string, new_path: string): Record<string, unknown> => ({ success: true, old_path, new_path });
const escapes = (path: string): ExpectedError => pathError('path_security', path, 'Path escapes base directory');
const exists = (path: string, details = /^Nothing was changed\. /): ExpectedError =>
  pathError('file_exists', path, `File already exists: ${path}`, { details });
const noNewDirectory = (directory: string): void => {
  assert.equal(existsSync(join(directory, 'new')), false, 'a directory that was made is left');
};

export const renameCases: readonly Case[] = withOptions(pathTools, [
  {
    title: 'gives a file another name',
    before: { 'a.txt': 'text' },
    call: rename('a.txt', 'b.txt'),
    result: done('a.txt', 'b.txt'),
    told: 'OK: a.txt -> b.txt',
    after: { 'b.txt': 'text' },
  },
  {
    title: 'moves a file to another directory and makes its parents',
    before: { 'drafts/proposal.md': 'text' },
    call: rename('drafts/proposal.md', 'archive/2025/proposal.md'),
    result: done('drafts/proposal.md', 'archive/2025/proposal.md'),
    after: { 'archive/2025/proposal.md': 'text' },
    check: (directory) => {
      assert.ok(statSync(join(directory, 'drafts')).isDirectory());
    },
  },
  {
    title: 'moves a directory with all that is in it',
    before: { 'old/a/b.txt': 'b', 'old/.hidden': 'h' },
    call: rename('old/', 'new/place/'),
    result: done('old/', 'new/place/'),
    after: { 'new/place/a/b.txt': 'b', 'new/place/.hidden': 'h' },
  },
  {
    title: 'moves a link as a link',
    before: { 'a.txt': 'text' },
    make: { link: linkTo('a.txt') },
    call: rename('link', 'other'),
    result: done('link', 'other'),
    check: (directory) => {
      assert.equal(readlinkSync(join(directory, 'other')), 'a.txt');
      assert.equal(lstatSync(join(directory, 'link'), { throwIfNoEntry: false }), undefined);
    },
  },
  {
    title: 'moves a dangling link',
    make: { link: linkTo('nowhere') },
    call: rename('link', 'sub/other'),
    result: done('link', 'sub/other'),
    check: (directory) => {
      assert.equal(readlinkSync(join(directory, 'sub', 'other')), 'nowhere');
    },
  },
  {
    title: 'keeps the rights of a file',
    before: { 'run.sh': 'x' },
    make: { here: linkTo('.') },
    call: rename('here/run.sh', 'here/bin/run.sh'),
    result: done('here/run.sh', 'here/bin/run.sh'),
    after: { 'bin/run.sh': 'x' },
  },
  {
    title: 'replaces the placeholder of a move whose process was killed',
    before: { 'a.txt': 'text' },
    make: { 'b.txt': linkTo('.file-editor/moving/here') },
    call: rename('a.txt', 'b.txt'),
    result: done('a.txt', 'b.txt'),
    after: { 'b.txt': 'text' },
  },
  {
    title: 'replaces such a placeholder with a directory',
    before: { 'sub/a.txt': 'text' },
    make: { b: linkTo('.file-editor/moving/here') },
    call: rename('sub', 'b'),
    result: done('sub', 'b'),
    after: { 'b/a.txt': 'text' },
  },
  ...(
    [
      ['a file', 'b.txt'],
      ['a file below', 'sub/c.txt'],
      ['a directory', 'sub'],
      ['an empty directory', 'empty'],
      ['a dangling link', 'link'],
      ['a pipe', 'pipe'],
      ['itself', 'a.txt'],
    ] as const
  ).map(([what, path]): Case => ({
    title: `never overwrites ${what}`,
    before: { 'a.txt': 'a', 'b.txt': 'b', 'sub/c.txt': 'c' },
    make: { empty: aDirectory, link: linkTo('nowhere'), pipe: makeFifo },
    call: rename('a.txt', path),
    // Deleting the existing one first would delete the file itself.
    error: exists(path, path === 'a.txt' ? /are the same: send another new_path/ : undefined),
  })),
  ...(['empty', 'a.txt', 'sub'] as const).map((path): Case => ({
    title: `never overwrites ${path} with a directory`,
    before: { 'a.txt': 'a', 'sub/c.txt': 'c' },
    make: { empty: aDirectory },
    call: rename('sub', path),
    error: exists(path),
  })),
  {
    title: 'finds no file, and makes no parents for it',
    call: rename('missing.md', 'new/a.md'),
    error: pathError('file_not_found', 'missing.md', 'File not found: missing.md'),
    check: noNewDirectory,
  },
  {
    title: 'does not move a directory into itself',
    before: { 'sub/a.txt': '' },
    call: rename('sub', 'sub/new/place'),
    error: pathError('invalid_params', 'sub/new/place', 'Invalid params: /new_path lies inside /old_path'),
    check: (directory) => {
      noNewDirectory(join(directory, 'sub'));
    },
  },
  {
    title: 'does not move a directory into itself by a detour',
    before: { 'sub/a.txt': '' },
    make: { link: linkTo('sub') },
    call: rename('sub', 'link/new'),
    error: pathError('invalid_params', 'link/new', 'Invalid params: /new_path lies inside /old_path'),
  },
  {
    title: 'does not move the working directory',
    call: rename('.', 'new'),
    error: pathError('path_security', '.', 'The working directory itself cannot be moved'),
    check: noNewDirectory,
  },
  {
    title: 'does not move anything to the working directory',
    before: { 'a.txt': '' },
    call: rename('a.txt', ''),
    error: pathError('path_security', '', 'The working directory itself cannot be replaced'),
  },
  {
    title: 'does not move out of the working directory',
    before: { 'a.txt': '' },
    call: rename('a.txt', '../b.txt'),
    error: escapes('../b.txt'),
  },
  {
    title: 'does not move a link that leads outside',
    make: { link: linkTo('/etc/hostname') },
    call: rename('link', 'other'),
    error: escapes('link'),
  },
  {
    title: 'does not move through a file',
    before: { 'a.txt': '', 'b.txt': '' },
    call: rename('a.txt', 'b.txt/new'),
    error: pathError('not_a_directory', 'b.txt/new', 'Not a directory: b.txt/new'),
  },
  {
    title: 'does not treat a file as a directory',
    before: { 'a.txt': '' },
    call: rename('a.txt/', 'new'),
    error: pathError('not_a_directory', 'a.txt/', 'Not a directory: a.txt/'),
    check: noNewDirectory,
  },
  {
    title: 'does not give a file the path of a directory',
    before: { 'a.txt': '' },
    call: rename('a.txt', 'new/'),
    error: pathError('invalid_params', 'new/', 'Invalid params: /new_path ends as the path of a directory does'),
    check: noNewDirectory,
  },
  {
    title: 'does not move what is neither file nor directory nor link',
    make: { pipe: makeFifo },
    call: rename('pipe', 'new/pipe'),
    error: pathError('not_a_file', 'pipe', 'Not a regular file: pipe'),
    check: noNewDirectory,
  },
]);
