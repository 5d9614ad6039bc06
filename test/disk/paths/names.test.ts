/** Spec 5.1: an existing name is never missing from a list because others appear or vanish while it is made. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { namesIn } from '../../../workers/disk/paths/names.js';
import { withDirectory } from '../../directory.js';
import { instead, mend } from '../../faults.js';

it('a name found only by an earlier directory read is listed if it still exists', () =>
  withDirectory({ 'a.txt': '', 'gone.txt': '', 'ä.txt': '' }, (directory) => {
    let reads = 0;
    instead('readdirSync', (read, ...args) => {
      const found = read(...args) as Dirent[];
      reads++;
      if (reads > 1) return found.filter(({ name }) => !name.startsWith('\xc3'));
      rmSync(join(directory, 'gone.txt'));
      writeFileSync(join(directory, 'new.txt'), '');
      return found;
    });
    const names = namesIn(directory, () => true).map(({ key }) => key);
    mend();
    assert.ok(reads > 1);
    assert.deepEqual(names.sort(), ['a.txt', 'new.txt', '\xc3\xa4.txt']);
  }));
