import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it, mock } from 'node:test';
import { OperationError } from '../../../src/core/errors.js';
import { Anchor } from '../../../workers/disk/paths/anchor.js';
import { Root } from '../../../workers/disk/paths/root.js';
import { withDirectory } from '../../directory.js';

describe('the working directory', () => {
  afterEach(() => {
    mock.restoreAll();
  });

  it('is not confused with another one that a parent leads to between stat and open', () =>
    withDirectory({ 'parent/served/a.txt': 'ours', 'outside/served/a.txt': 'secret' }, (directory) => {
      const parent = join(directory, 'parent');
      const root = new Root(join(parent, 'served'));
      root.refresh();
      const { native } = realpathSync;
      // Moved away, so it is opened again.
      renameSync(root.directory, join(directory, 'moved'));
      mkdirSync(root.directory);
      mock.method(realpathSync, 'native', (path: string) => {
        const found = native(path);
        renameSync(parent, join(directory, 'parent before'));
        symlinkSync(join(directory, 'outside'), parent);
        return found;
      });
      assert.throws(
        () => {
          root.refresh();
        },
        (error) => error instanceof OperationError && error.kind === 'directory_denied',
      );
    }));

  for (const [what, replaced, kind] of [
    ['the directory that has taken its place', true, undefined],
    ['missing, not a link, if none has', false, 'no_directory'],
  ] as const) {
    it(`is ${what} if it is moved away right after it was opened`, () =>
      withDirectory({ 'served/a.txt': 'old' }, (directory) => {
        const root = new Root(join(directory, 'served'));
        const open = Anchor.open.bind(Anchor);
        const opening = mock.method(Anchor, 'open', (path: string) => {
          opening.mock.restore();
          const anchor = open(path);
          renameSync(root.directory, join(directory, 'moved'));
          if (replaced) mkdirSync(root.directory);
          return anchor;
        });
        if (kind === undefined) {
          root.refresh();
          assert.equal(root.anchor.realPath(), root.directory);
          root.close();
        } else {
          assert.throws(
            () => {
              root.refresh();
            },
            (error) => error instanceof OperationError && error.kind === kind,
          );
        }
        assert.equal(opening.mock.callCount(), 1);
      }));
  }
});
