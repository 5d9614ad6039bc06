/** Without /proc the tools go by names, and check before and after. These tests hide /proc on any system. */
import assert from 'node:assert/strict';
import fs, { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, mock } from 'node:test';
// Before the platform is changed, because it selects the binary.
import 'fs-native-extensions';
import type { Outcome } from '../../src/core/errors.js';
import { withDirectory } from '../directory.js';
import { counting, systemError } from '../faults.js';

const { platform } = process;

describe('the storage tools without /proc', { skip: platform === 'win32' ? 'has other links' : false }, () => {
  let load: () => Promise<typeof import('../operations/storage-scene.js')>;
  before(() => {
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    load = () => import('../operations/storage-scene.js');
  });
  after(() => {
    Object.defineProperty(process, 'platform', { value: platform });
  });

  const reasonOf = (outcome: Outcome): unknown => (outcome.ok ? 'done' : outcome.data?.reason);

  it('do the same', () =>
    withDirectory({}, async (directory) => {
      const { StorageScene, resultOf } = await load();
      const scene = new StorageScene(directory, { durability: 'full' });
      mkdirSync(join(directory, 'real/sub'), { recursive: true });
      symlinkSync('real', join(directory, 'way'));
      const steps = [
        await scene.call('create', { path: 'way/sub/new/a.txt', content: 'one\n', encoding: 'utf-8' }),
        await scene.call('insert', { path: 'way/sub/new/a.txt', insert_line: 2, new_str: 'two\n' }),
        await scene.call('str_replace', { path: 'real/sub/../sub/new/a.txt', old_str: 'one', new_str: 'ONE' }),
        await scene.call('rename', { old_path: 'way/sub/new', new_path: 'other/place' }),
        await scene.call('rename', { old_path: 'other/place/a.txt', new_path: 'way/b.txt' }),
        await scene.call('delete', { path: 'other/place' }),
      ];
      assert.deepEqual(
        steps.map(reasonOf),
        Array.from({ length: 6 }, () => 'done'),
      );
      const viewed = resultOf(await scene.call('view', { path: 'way/b.txt' }));
      assert.deepEqual(viewed, { type: 'file', content: 'ONE\ntwo\n', encoding: 'utf-8', size: 8 });
      assert.deepEqual(resultOf(await scene.call('view', { path: 'way' })), {
        type: 'directory',
        entries: ['b.txt', 'sub'],
      });
    }));

  it('never lead outside', () =>
    withDirectory({ 'f.txt': 'OUTSIDE' }, (outside) =>
      withDirectory({ 'in.txt': 'in' }, async (directory) => {
        const { StorageScene } = await load();
        const scene = new StorageScene(directory);
        symlinkSync(outside, join(directory, 'out'));
        symlinkSync(join(outside, 'f.txt'), join(directory, 'file'));
        const outcomes = [
          await scene.call('view', { path: 'out/f.txt' }),
          await scene.call('view', { path: 'file' }),
          await scene.call('create', { path: 'out/new', content: '', encoding: 'utf-8' }),
          await scene.call('insert', { path: 'file', insert_line: 1, new_str: 'x' }),
          await scene.call('delete', { path: 'out/f.txt' }),
          await scene.call('rename', { old_path: 'in.txt', new_path: 'out/in.txt' }),
        ];
        assert.deepEqual(
          outcomes.map(reasonOf),
          Array.from({ length: 6 }, () => 'path_security'),
        );
        assert.deepEqual(readdirSync(outside), ['f.txt']);
        assert.equal(readFileSync(join(outside, 'f.txt'), 'utf8'), 'OUTSIDE');
      }),
    ));

  it('close a file that turns out to be elsewhere when checked again', () =>
    withDirectory({ 'sub/a.txt': 'a' }, async (directory) => {
      const { StorageScene } = await load();
      const scene = new StorageScene(directory);
      assert.equal(reasonOf(await scene.call('view', { path: 'sub/a.txt' })), 'done');
      const { native } = fs.realpathSync;
      const at = join(directory, 'sub/a.txt');
      mock.method(fs.realpathSync, 'native', (path: string, encoding?: fs.EncodingOption) => {
        if (path === at) throw systemError('ENOENT');
        return native(path, encoding);
      });
      const [opened, closed] = [counting('openSync'), counting('closeSync')];
      const outcome = await scene.call('view', { path: 'sub/a.txt' });
      mock.restoreAll();
      assert.equal(reasonOf(outcome), 'path_security', 'it looks like one that keeps being swapped');
      assert.equal(opened(), closed());
    }));

  it('notice a directory that becomes a link after it was traversed', () =>
    withDirectory({}, (outside) =>
      withDirectory({ 'sub/a.txt': 'a', 'in.txt': 'in' }, async (directory) => {
        const { StorageScene } = await load();
        const { Progress } = await import('../../workers/progress.js');
        const { Phase } = await import('../../src/core/thread/task.js');
        /** Swaps something when the locks are taken, which the walk under them notices. */
        class Swapping extends Progress {
          constructor() {
            super(new Int32Array(new SharedArrayBuffer(4)), 0);
          }

          override advance(next: import('../../src/core/thread/task.js').Phase): boolean {
            if (next === Phase.running && lstatSync(join(directory, 'sub')).isDirectory()) {
              renameSync(join(directory, 'sub'), join(directory, 'away'));
              symlinkSync(outside, join(directory, 'sub'));
            }
            return super.advance(next);
          }
        }
        const scene = new StorageScene(directory);
        const created = await scene.call(
          'create',
          { path: 'sub/new.txt', content: '', encoding: 'utf-8' },
          { progress: new Swapping() },
        );
        const moved = await scene.call('rename', { old_path: 'in.txt', new_path: 'sub/in.txt' });
        assert.deepEqual([reasonOf(created), reasonOf(moved)], ['path_security', 'path_security']);
        assert.deepEqual(readdirSync(outside), []);
      }),
    ));
});
