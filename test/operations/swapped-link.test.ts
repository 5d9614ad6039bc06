/** Spec 6: a call locks the file it changes, even if a link on its path is swapped before it has the locks. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tryFileLock } from '../../workers/disk/lock/lock.js';
import { Phase } from '../../src/core/thread/task.js';
import { withDirectory } from '../directory.js';
import { before } from '../faults.js';
import { workspaceOf } from '../workspace.js';
import { Meanwhile } from './meanwhile.js';
import { resultOf, StorageScene } from './storage-scene.js';

/** Swaps the link before the first lock is taken, and checks that a path is locked when the change is made. */
class Swapping extends Meanwhile {
  wasLocked: boolean | undefined;

  constructor(
    private readonly directory: string,
    private readonly changed: string,
  ) {
    super(Phase.waiting, () => {
      rmSync(join(directory, 'way'));
      symlinkSync('second', join(directory, 'way'));
    });
  }

  override advance(next: Phase): boolean {
    if (next === Phase.claimed) {
      const { root, reserved } = workspaceOf(this.directory);
      root.refresh();
      const lock = tryFileLock(reserved, this.changed, []);
      this.wasLocked = lock === null;
      lock?.release();
    }
    return super.advance(next);
  }
}

describe('the target of a link that is swapped while a call waits for its locks', () => {
  const calls = [
    ['create', { path: 'way/new.txt', content: '', encoding: 'utf-8' }, 'second/new.txt'],
    ['create', { path: 'way/sub/new.txt', content: '', encoding: 'utf-8' }, 'second/sub'],
    ['delete', { path: 'way/a.txt' }, 'second/a.txt'],
    ['rename', { old_path: 'way/a.txt', new_path: 'b.txt' }, 'second/a.txt'],
    ['rename', { old_path: 'c.txt', new_path: 'way/b.txt' }, 'second/b.txt'],
  ] as const;
  for (const [operation, params, changed] of calls) {
    it(`is locked: ${operation} of ${JSON.stringify(params)}`, () =>
      withDirectory({ 'first/a.txt': '', 'second/a.txt': '', 'c.txt': '' }, async (directory) => {
        mkdirSync(join(directory, 'first', 'sub'));
        symlinkSync('first', join(directory, 'way'));
        const progress = new Swapping(directory, changed);
        resultOf(await new StorageScene(directory).call(operation, params, { progress }));
        assert.equal(progress.wasLocked, true);
        assert.deepEqual(readdirSync(join(directory, 'first')), ['a.txt', 'sub']);
      }));
  }
});

describe('a link that replaces a file while its permissions are checked', () => {
  for (const [target, reason] of [
    ['a.txt', 'path_security'],
    ['b.txt/below', 'file_not_found'],
    ['nowhere', 'file_not_found'],
  ] as const) {
    it(`is refused for what it is: to ${target}`, () =>
      withDirectory({ 'a.txt': 'old', 'b.txt': '' }, async (directory) => {
        const path = join(directory, 'a.txt');
        before('accessSync', (at) => {
          if (!String(at).endsWith('/a.txt')) return;
          rmSync(path);
          symlinkSync(target, path);
        });
        const params = { path: 'a.txt', old_str: 'old', new_str: 'new' };
        const outcome = await new StorageScene(directory).call('str_replace', params);
        assert.equal(outcome.ok ? 'done' : outcome.data?.reason, reason);
      }));
  }
});
