/** Edits of files that another program is in the middle of writing. */
import assert from 'node:assert/strict';
import { closeSync, fstatSync, openSync, renameSync, statSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { mayBeUnfinished, mostPatienceMs } from '../../workers/commit/other-writers.js';
import { tryFileLock } from '../../workers/disk/lock/lock.js';
import { Reserved } from '../../workers/disk/lock/reserved.js';
import { Root } from '../../workers/disk/paths/root.js';
import { Progress } from '../../workers/progress.js';
import { Phase } from '../../src/core/thread/task.js';
import { withDirectory, writeFinished } from '../directory.js';
import { GroupScene, type Ran } from './group-scene.js';

const stats = (path: string): Parameters<typeof mayBeUnfinished>[0] => statSync(path, { bigint: true });

describe('detection of an unfinished file', () => {
  it('suspects a file that was just written or truncated', () =>
    withDirectory({}, (directory) => {
      const path = join(directory, 'a.txt');
      for (const text of ['text', '']) {
        // On a loaded machine a stat may come late.
        const looks = Array.from({ length: 50 }, () => {
          writeFileSync(path, text);
          return mayBeUnfinished(stats(path));
        });
        assert.ok(looks.includes(true));
      }
    }));

  it('trusts it some time later', () =>
    withDirectory({}, async (directory) => {
      const path = join(directory, 'a.txt');
      writeFileSync(path, 'text');
      await sleep(30);
      assert.ok(!mayBeUnfinished(stats(path)));
    }));

  it('trusts a file whose time has been set, as by tar', () =>
    withDirectory({}, (directory) => {
      const path = join(directory, 'a.txt');
      writeFileSync(path, 'text');
      utimesSync(path, 1, 1);
      assert.ok(!mayBeUnfinished(stats(path)));
    }));

  it('trusts a file that this server has written, whatever its durability', () =>
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

  /**
   * @returns whether the writer kept its pace. On a loaded machine the file may look finished between two pieces,
   * because the kernel's clock for time stamps lags or because the writer pauses longer than edits wait.
   */
  async function writeInPieces(path: string, ms: number, texts = pieces): Promise<boolean> {
    const began = performance.now();
    let last = began;
    let oldest = 0;
    const fd = openSync(path, 'w');
    for (const piece of texts) {
      // The last edit that could still mistake the file for finished saw these times.
      oldest = Math.max(oldest, Date.now() - fstatSync(fd).mtimeMs);
      writeSync(fd, piece);
      last = performance.now();
      await sleep(ms);
    }
    closeSync(fd);
    return oldest < 13 && last - began < mostPatienceMs - 10;
  }

  /** Retries until the writer has kept its pace. */
  async function inPace(attempt: (directory: string) => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 50; tries++) if (await withDirectory({ 'a.txt': 'old\n' }, attempt)) return;
    assert.fail('no writer has kept its pace');
  }

  /** The answer to an edit that may be refused. */
  const toldOf = (edited: Promise<Ran>): Promise<boolean | undefined> =>
    edited.then(
      ({ answer }) => answer[0]?.ok === true,
      () => false,
    );

  for (const ms of [0, 1, 4]) {
    it(`waits until it is finished (a pause of ${String(ms)} ms between its pieces)`, () =>
      inPace(async (directory) => {
        const scene = new GroupScene(directory, 'a.txt', { durability: 'none' });
        const written = writeInPieces(scene.path, ms);
        const told = await toldOf(scene.run([{ append: 'five' }]));
        if (!(await written)) return false;
        assert.deepEqual([told, scene.text], [true, `${pieces.join('')}five\n`]);
        return true;
      }));
  }

  it('also waits after another edit that held the lock', () =>
    inPace(async (directory) => {
      const scene = new GroupScene(directory, 'a.txt', { durability: 'none' });
      const root = new Root(directory);
      root.refresh();
      const lock = tryFileLock(new Reserved(root), 'a.txt', []);
      assert.ok(lock);
      const edited = toldOf(scene.run([{ append: 'last' }]));
      await sleep(5);
      const many = Array.from({ length: 8 }, (_, index) => `${String(index)}\n`);
      const written = writeInPieces(scene.path, 3, many);
      lock.release();
      const told = await edited;
      if (!(await written)) return false;
      assert.deepEqual([told, scene.text], [true, `${many.join('')}last\n`]);
      return true;
    }));

  it('gives up waiting for a file that is never finished', () =>
    withDirectory({ 'a.txt': 'old\n' }, async (directory) => {
      const scene = new GroupScene(directory, 'a.txt', { durability: 'none' });
      const fd = openSync(scene.path, 'a');
      writeSync(fd, 'more\n');
      const timer = setInterval(() => writeSync(fd, 'more\n'), 1);
      try {
        // It may be reported as changed, but must not be delayed.
        await scene.run([{ append: 'mine' }]).catch((error: unknown) => {
          assert.match(String(error), /was modified concurrently/);
        });
      } finally {
        clearInterval(timer);
        closeSync(fd);
      }
    }));

  it('applies to a file that replaces it during the wait', () =>
    inPace(async (directory) => {
      const scene = new GroupScene(directory);
      writeFinished(join(directory, 'new.txt'), 'new\n');
      const began = performance.now();
      writeFileSync(scene.path, 'half');
      const edited = toldOf(scene.run([{ append: 'mine' }]));
      const seenInTime = performance.now() - began < 9;
      renameSync(join(directory, 'new.txt'), scene.path);
      const told = await edited;
      if (!seenInTime) return false;
      assert.deepEqual([told, scene.text], [true, 'new\nmine\n']);
      return true;
    }));

  it('stops waiting when cancelled, and survives actions of other programs', () =>
    inPace(async (directory) => {
      const scene = new GroupScene(directory);
      const began = performance.now();
      writeFileSync(scene.path, 'half');
      const seen: number[] = [];
      const edited = scene.run([
        {
          append: 'mine',
          progress: (phases, slot) => {
            setTimeout(() => {
              seen.push(Atomics.exchange(phases, slot, Phase.cancelled));
            }, 1);
            return new Progress(phases, slot);
          },
        },
      ]);
      const seenInTime = performance.now() - began < 9;
      const told = await edited.then(() => 'done', String);
      if (!seenInTime) return false;
      assert.match(told, /Cancelled/);
      assert.deepEqual([seen, scene.text], [[Phase.waiting], 'half']);
      return true;
    }));
});
