import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it, mock } from 'node:test';
import { OperationError } from '../../src/errors.js';
import { Root } from '../../workers/disk/root.js';
import { withDirectory } from '../directory.js';

describe('the working directory', () => {
  afterEach(() => {
    mock.restoreAll();
  });

  it('is not taken for another one to which a parent leads between the look and the opening', () =>
    withDirectory({ 'parent/served/a.txt': 'ours', 'outside/served/a.txt': 'secret' }, (directory) => {
      const parent = join(directory, 'parent');
      const root = new Root(join(parent, 'served'));
      root.refresh();
      const { native } = realpathSync;
      // Moved away, so that it is opened again.
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
});
