/** Edits of files that another program is in the middle of writing. */
import assert from 'node:assert/strict';
import { closeSync, openSync, renameSync, statSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { mayBeUnfinished } from '../../workers/commit/unfinished.js';
import { tryFileLock } from '../../workers/disk/lock.js';
import { Reserved } from '../../workers/disk/reserved.js';
import { Root } from '../../workers/disk/root.js';
import { Progress } from '../../workers/progress.js';
import { Stage } from '../../workers/task.js';
import { withDirectory } from '../directory.js';
import { GroupScene } from './group-scene.js';

const stats = (path: string): Parameters<typeof mayBeUnfinished>[0] => statSync(path, { bigint: true });

describe('a file', () => {
  it('may be unfinished when it was just written or emptied', () =>
    withDirectory({}, (directory) => {
      const path = join(directory, 'a.txt');
      for (const text of ['text', '']) {
        writeFileSync(path, text);
        assert.ok(mayBeUnfinished(stats(path)));
      }
    }));

  it('is finished some time later', () =>
    withDirectory({}, async (directory) => {
      const path = join(directory, 'a.txt');
      writeFileSync(path, 'text');
      await sleep(30);
      assert.ok(!mayBeUnfinished(stats(path)));
    }));

  it('is finished when its time has been set, as tar does', () =>
    withDirectory({}, (directory) => {
      const path = join(directory, 'a.txt');
      writeFileSync(path, 'text');
      utimesSync(path, 1, 1);
      assert.ok(!mayBeUnfinished(stats(path)));
    }));

  it('is finished when this server has written it, whatever its durability', () =>
    withDirectory({ 'a.txt': 'text' }, async (directory) => {
      for (const durability of ['none', 'file', 'full'] as const) {
        for (const name of ['a.txt', `${durability}.txt`]) {
          const scene = new GroupScene(directory, name, { durability });
          for (let edit = 0; edit < 20; edit++) {
            await scene.run([{ append: 'x', create_if_missing: true }]);
            assert.ok(!mayBeUnfinished(stats(scene.path)), `${durability} ${name} ${String(edit)}`);
          }
        }
      }
    }));
});

describe('an edit of a file that another program is writing', () => {
  const pieces = ['one\n', 'two\n', 'three\n', 'four\n'];

  async function writeInPieces(path: string, ms: number, texts = pieces): Promise<void> {
    const fd = openSync(path, 'w');
    for (const piece of texts) {
      writeSync(fd, piece);
      await sleep(ms);
    }
    closeSync(fd);
  }

  for (const ms of [0, 1, 4]) {
    it(`waits until it is finished (a pause of ${String(ms)} ms between its pieces)`, () =>
      withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
        const scene = new GroupScene(directory, 'a.txt', { durability: 'none' });
        const written = writeInPieces(scene.path, ms);
        const { answer } = await scene.run([{ append: 'five' }]);
        assert.equal(answer[0]?.ok, true);
        await written;
        assert.equal(scene.text, `${pieces.join('')}five\n`);
      }));
  }

  it('waits also behind one that held its lock', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory, 'a.txt', { durability: 'none' });
      const root = new Root(directory);
      root.refresh();
      const lock = tryFileLock(new Reserved(root), 'a.txt', []);
      assert.ok(lock);
      const edited = scene.run([{ append: 'last' }]);
      await sleep(5);
      const many = Array.from({ length: 10 }, (_, index) => `${String(index)}\n`);
      const written = writeInPieces(scene.path, 3, many);
      lock.release();
      assert.equal((await edited).answer[0]?.ok, true);
      await written;
      assert.equal(scene.text, `${many.join('')}last\n`);
    }));

  it('does not wait for ever for one that never ends', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory, 'a.txt', { durability: 'none' });
      const fd = openSync(scene.path, 'a');
      writeSync(fd, 'more\n');
      const timer = setInterval(() => writeSync(fd, 'more\n'), 1);
      try {
        // It may be told that the file has changed, but is not kept.
        await scene.run([{ append: 'mine' }]).catch((error: unknown) => {
          assert.match(String(error), /was modified concurrently/);
        });
      } finally {
        clearInterval(timer);
        closeSync(fd);
      }
    }));

  it('goes into the file that takes its place meanwhile', () =>
    withDirectory({ 'new.txt': 'new\n' }, async (directory) => {
      const scene = new GroupScene(directory);
      writeFileSync(scene.path, 'half');
      const edited = scene.run([{ append: 'mine' }]);
      renameSync(join(directory, 'new.txt'), scene.path);
      assert.equal((await edited).answer[0]?.ok, true);
      assert.equal(scene.text, 'new\nmine\n');
    }));

  it('stops waiting when it is cancelled, and dies of nothing that others do', () =>
    withDirectory({}, async (directory) => {
      const scene = new GroupScene(directory);
      writeFileSync(scene.path, 'half');
      const seen: number[] = [];
      const edited = scene.run([
        {
          append: 'mine',
          progress: (stages, slot) => {
            setTimeout(() => {
              seen.push(Atomics.exchange(stages, slot, Stage.cancelled));
            }, 1);
            return new Progress(stages, slot);
          },
        },
      ]);
      await assert.rejects(edited, /Cancelled/);
      assert.deepEqual(seen, [Stage.waiting]);
      assert.equal(scene.text, 'half');
    }));
});
