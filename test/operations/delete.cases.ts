import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockNumber } from '../../workers/disk/lock/lock.js';
import { aDirectory, type Case, type ExpectedError, linkTo, pathError, pathTools, withOptions } from './case.js';
import { makeFifo } from './special-files.js';

const remove = (path: string): Case['call'] => ['delete', { path }];
const done = (path: string): Record<string, unknown> => ({ success: true, path });
const gone =
  (...paths: string[]) =>
  (directory: string): void => {
    for (const path of paths) {
      assert.equal(lstatSync(join(directory, path), { throwIfNoEntry: false }), undefined, path);
    }
  };
const escapes = (path: string): ExpectedError => pathError('path_security', path, 'Path escapes base directory');

/** A name in a directory that shares its lock file with the directory. */
function nameWithLockOf(directory: string): string {
  for (let number = 0; ; number++) {
    const name = `f${String(number)}`;
    if (lockNumber(`${directory}/${name}`) === lockNumber(directory)) return name;
  }
}

export const deleteCases: readonly Case[] = withOptions(pathTools, [
  {
    title: 'removes a file; its directory stays, even empty',
    before: { 'archive/old.md': 'x' },
    call: remove('archive/old.md'),
    result: done('archive/old.md'),
    told: 'OK: archive/old.md',
    after: {},
    check: (directory) => {
      assert.deepEqual(readdirSync(join(directory, 'archive')), []);
    },
  },
  ...['empty', 'empty/'].map((path): Case => ({
    title: `removes an empty directory (${path})`,
    make: { empty: aDirectory },
    call: remove(path),
    result: done(path),
    check: gone('empty'),
  })),
  {
    title: 'removes a link and not its target',
    before: { 'a.txt': 'kept' },
    make: { link: linkTo('a.txt') },
    call: remove('link'),
    result: done('link'),
    check: gone('link'),
  },
  {
    title: 'removes a dangling link',
    make: { link: linkTo('nowhere') },
    call: remove('link'),
    result: done('link'),
    check: gone('link'),
  },
  {
    title: 'removes a link to a directory',
    before: { 'sub/a.txt': 'kept' },
    make: { link: linkTo('sub') },
    call: remove('link'),
    result: done('link'),
    check: gone('link'),
  },
  {
    title: 'takes a link with a trailing slash for neither the link nor its target',
    before: { 'sub/a.txt': 'kept' },
    make: { link: linkTo('sub') },
    call: remove('link/'),
    error: pathError('not_a_directory', 'link/', 'Not a directory: link/', {
      details: /drop everything after its name/,
    }),
  },
  {
    title: 'does not remove a link that leads outside',
    make: { link: linkTo('/etc/hostname') },
    call: remove('link'),
    error: escapes('link'),
    check: (directory) => {
      assert.ok(lstatSync(join(directory, 'link')).isSymbolicLink());
    },
  },
  {
    title: 'does not remove a link that would lead outside if its target existed',
    make: { link: linkTo('/no/such/place') },
    call: remove('link'),
    error: escapes('link'),
  },
  {
    title: 'does not remove a link in a loop',
    make: { link: linkTo('link') },
    call: remove('link'),
    error: escapes('link'),
  },
  {
    title: 'removes a directory that holds only obsolete leftovers of a server',
    prepare: (directory) => {
      mkdirSync(join(directory, 'sub', '.file-editor'), { recursive: true });
      for (const name of ['.gitignore', '0001.lock', 'tree.lock']) {
        writeFileSync(join(directory, 'sub', '.file-editor', name), '');
      }
    },
    call: remove('sub'),
    result: done('sub'),
    check: gone('sub'),
  },
  {
    title: 'removes a directory in which a killed process has left a placeholder',
    make: { sub: aDirectory, 'sub/a.txt': linkTo('.file-editor/moving/here') },
    call: remove('sub'),
    result: done('sub'),
    check: gone('sub'),
  },
  {
    title: 'removes a directory with a placeholder that shares its lock with the directory',
    prepare: (directory) => {
      mkdirSync(join(directory, 'sub'));
      symlinkSync('.file-editor/moving/here', join(directory, 'sub', nameWithLockOf('sub')));
    },
    call: remove('sub'),
    result: done('sub'),
    check: gone('sub'),
  },
  {
    title: 'counts foreign files in a reserved directory',
    before: { 'sub/.file-editor/mine.txt': 'x' },
    call: remove('sub'),
    error: pathError('directory_not_empty', 'sub', 'Directory not empty: sub', {
      details: /not what a server makes, or holds more/,
    }),
    after: {},
    check: (directory) => {
      assert.ok(existsSync(join(directory, 'sub/.file-editor/mine.txt')));
    },
  },
  {
    title: 'counts hidden files',
    before: { 'temp/.gitkeep': '' },
    call: remove('temp/'),
    error: pathError('directory_not_empty', 'temp/', 'Directory not empty: temp/', { details: /"\.gitkeep"/ }),
  },
  {
    title: 'does not remove a directory with files',
    before: { 'sub/a': '', 'sub/b': '' },
    call: remove('sub'),
    error: pathError('directory_not_empty', 'sub', 'Directory not empty: sub', { details: /"a", "b"/ }),
  },
  ...['', '.', 'sub/..'].map((path): Case => ({
    title: `does not remove the working directory (${JSON.stringify(path)})`,
    before: { 'sub/a.txt': '' },
    call: remove(path),
    error: pathError('path_security', path, 'The working directory itself cannot be deleted'),
  })),
  {
    title: 'finds no file',
    call: remove('missing.md'),
    error: pathError('file_not_found', 'missing.md', 'File not found: missing.md'),
  },
  {
    title: 'does not treat a file as a directory',
    before: { 'a.txt': '' },
    call: remove('a.txt/'),
    error: pathError('not_a_directory', 'a.txt/', 'Not a directory: a.txt/'),
  },
  {
    title: 'does not remove what is neither file nor directory nor link',
    make: { pipe: makeFifo },
    call: remove('pipe'),
    error: pathError('not_a_file', 'pipe', 'Not a regular file: pipe'),
  },
  {
    title: 'removes the expected version',
    before: { 'a.txt': '' },
    call: ['delete', { path: 'a.txt', expected_hash: '2d06800538d394c2' }],
    result: done('a.txt'),
    after: {},
  },
  {
    title: 'removes only the expected version',
    before: { 'a.txt': 'text' },
    call: ['delete', { path: 'a.txt', expected_hash: '2d06800538d394c2' }],
    error: pathError('conflict', 'a.txt', "File 'a.txt' has changed", {
      status: 412,
      details: /^Nothing was deleted\. View the file again/,
      data: { current_hash: /^[0-9a-f]{16}$/ },
    }),
  },
  {
    title: 'says that the expected version is gone',
    call: ['delete', { path: 'a.txt', expected_hash: '2d06800538d394c2' }],
    error: pathError('conflict', 'a.txt', "File 'a.txt' has changed", { status: 412 }),
  },
  {
    title: 'expects no version of a directory',
    make: { sub: aDirectory },
    call: ['delete', { path: 'sub', expected_hash: '2d06800538d394c2' }],
    error: pathError('conflict', 'sub', "File 'sub' has changed", { status: 412, details: /A directory is there/ }),
  },
  {
    title: 'nor of a link to one, and says that without a hash the link would go, not the directory',
    before: { 'sub/a.txt': 'kept' },
    make: { link: linkTo('sub') },
    call: ['delete', { path: 'link', expected_hash: '2d06800538d394c2' }],
    error: pathError('conflict', 'link', "File 'link' has changed", {
      status: 412,
      details: /A link to a directory is there, which has no hash: send none to delete the link itself;/,
    }),
    check: (directory) => {
      assert.equal(readlinkSync(join(directory, 'link')), 'sub');
    },
  },
  ...(
    [
      ['at the target of a dangling link', 'link'],
      ['in the missing directory that a link names', 'link/a.txt'],
    ] as const
  ).map(([where, path]): Case => ({
    title: `finds no version ${where}`,
    make: { link: linkTo('nowhere') },
    call: ['delete', { path, expected_hash: '2d06800538d394c2' }],
    error: pathError('conflict', path, `File '${path}' has changed`, { status: 412 }),
    check: (directory) => {
      assert.equal(readlinkSync(join(directory, 'link')), 'nowhere');
    },
  })),
]);
