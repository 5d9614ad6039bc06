/** Spec 5.1: one bad file never fails the listing, and one that exists is not missing from it. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { afterEach, it, mock } from 'node:test';
import { withDirectory } from '../directory.js';
import { Lister } from './lister.js';

afterEach(() => {
  mock.restoreAll();
  syncBuiltinESMExports();
});

/** From now on, every look at a file of this name fails. */
function failing(name: string, code: string): void {
  for (const call of ['openSync', 'lstatSync'] as const) {
    const original = fs[call] as (...args: readonly unknown[]) => unknown;
    mock.method(fs, call, (...args: readonly unknown[]) => {
      if (basename(String(args[0])) === name) throw Object.assign(new Error(code), { code });
      return original(...args);
    });
  }
  syncBuiltinESMExports();
}

for (const [code, names] of [
  ['EIO', ['bad.txt', 'good.txt']],
  ['ENOENT', ['good.txt']],
] as const) {
  it(`a file that cannot even be looked at (${code}): ${names.join(' and ')} are listed`, () =>
    withDirectory({ 'bad.txt': 'one\n', 'good.txt': 'one\n' }, (directory) => {
      const lister = new Lister(directory);
      failing('bad.txt', code);
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
