import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, mkdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { OperationError } from '../../../src/core/errors.js';
import { platform } from '../../../src/core/platform.js';
import { assertRemovable } from '../../../workers/changes/record/changeable.js';
import { withDirectory } from '../../directory.js';

const needsRoot =
  (!platform.tellsRefusals && 'is not asked on this system') ||
  (process.getuid?.() !== 0 && 'needs root to be another user and to set flags');
const noMounts: ReadonlySet<string> = new Set();
const stranger = 65_534;

const ask = (path: string): void => {
  assertRemovable(path, path, noMounts);
};

function asStranger(work: () => void): void {
  process.seteuid?.(stranger);
  try {
    work();
  } finally {
    process.seteuid?.(0);
  }
}

describe('the question whether a file may be removed', () => {
  it('leaves what is there as it is, also a directory that another program has put there', () =>
    withDirectory({ 'a.txt': 'old' }, (directory) => {
      const path = join(directory, 'a.txt');
      const before = lstatSync(path, { bigint: true });
      ask(path);
      assert.deepEqual({ ...lstatSync(path, { bigint: true }), atimeNs: 0n }, { ...before, atimeNs: 0n });
      unlinkSync(path);
      mkdirSync(path);
      ask(path);
      assert.ok(lstatSync(path).isDirectory());
    }));

  it('is answered by the owner of a file, of the directory, and of all files', { skip: needsRoot }, () =>
    withDirectory({ 'theirs.txt': '', 'ours.txt': '' }, (directory) => {
      const [theirs, ours] = [join(directory, 'theirs.txt'), join(directory, 'ours.txt')];
      chmodSync(directory, 0o1777);
      chownSync(ours, stranger, stranger);
      ask(ours);
      asStranger(() => {
        ask(ours);
        assert.throws(
          () => {
            ask(theirs);
          },
          (error) => error instanceof OperationError && error.failure.kind === 'write_denied',
        );
      });
      chownSync(directory, stranger, stranger);
      asStranger(() => {
        ask(theirs);
      });
      chmodSync(directory, 0o777);
      chownSync(directory, 0, 0);
      asStranger(() => {
        ask(theirs);
      });
    }),
  );

  for (const [flag, name] of [
    ['i', 'immutable'],
    ['a', 'append-only'],
  ] as const) {
    it(`is answered no for an ${name} file, and not for the link to it`, { skip: needsRoot }, () =>
      withDirectory({ 'a.txt': 'old' }, (directory) => {
        const path = join(directory, 'a.txt');
        symlinkSync('a.txt', join(directory, 'link'));
        execFileSync('chattr', [`+${flag}`, path]);
        try {
          assert.throws(
            () => {
              ask(path);
            },
            { code: 'EPERM' },
          );
          ask(join(directory, 'link'));
        } finally {
          execFileSync('chattr', [`-${flag}`, path]);
        }
      }),
    );
  }
});
