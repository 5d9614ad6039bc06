/** Spec 5.1: a name that is there is not missing from a list because others come and go while it is made. */
import assert from 'node:assert/strict';
import fs, { rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { it, mock } from 'node:test';
import { namesIn } from '../../workers/disk/names.js';
import { withDirectory } from '../directory.js';

it('what only an earlier read of a directory has found is among its names if it is still there', () =>
  withDirectory({ 'a.txt': '', 'gone.txt': '', 'ä.txt': '' }, (directory) => {
    const { readdirSync } = fs as { readdirSync: (path: string, options: object) => fs.Dirent[] };
    let reads = 0;
    mock.method(fs, 'readdirSync', (path: string, options: object) => {
      const found = readdirSync(path, options);
      reads++;
      if (reads > 1) return found.filter(({ name }) => !name.startsWith('\xc3'));
      rmSync(join(directory, 'gone.txt'));
      writeFileSync(join(directory, 'new.txt'), '');
      return found;
    });
    syncBuiltinESMExports();
    const names = namesIn(directory, () => true).map(({ key }) => key);
    mock.restoreAll();
    syncBuiltinESMExports();
    assert.ok(reads > 1);
    assert.deepEqual(names.sort(), ['a.txt', 'new.txt', '\xc3\xa4.txt']);
  }));
