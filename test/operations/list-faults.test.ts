/** Spec 5.1: one bad file never fails the listing, and one that exists is not missing from it. */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { it } from 'node:test';
import { withDirectory } from '../directory.js';
import { failing } from '../faults.js';
import { Lister } from './lister.js';

for (const [code, names] of [
  ['EIO', ['bad.txt', 'good.txt']],
  ['ENOENT', ['good.txt']],
] as const) {
  it(`a file whose stat fails (${code}): ${names.join(' and ')} are listed`, () =>
    withDirectory({ 'bad.txt': 'one\n', 'good.txt': 'one\n' }, (directory) => {
      const lister = new Lister(directory);
      for (const call of ['openSync', 'lstatSync'] as const) {
        failing(call, code, (...args) => basename(String(args[0])) === 'bad.txt');
      }
      const files = lister.files();
      assert.deepEqual(
        files.map(({ name }) => name),
        names,
      );
      const bad = files.find(({ name }) => name === 'bad.txt');
      if (bad !== undefined) assert.deepEqual([bad.readable, bad.writable, bad.lines], [false, false, -1]);
      lister.close();
    }));
}
