/** Spec 18: what is bounded, and what an undo or a view makes of unusual texts. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withDirectory, writeFinished } from '../directory.js';
import { cannotMount, withDisk } from '../reliability/small-disk.js';
import { edit, HistoryScene, logIn, refusedWith, withScene } from './scene.js';

describe('an undo', () => {
  it('merges lines that end with \\r', () =>
    withScene({ 'a.txt': 'one\rtwo\rthree\rfour\r' }, async (scene, directory) => {
      const first = await scene.change('apply_edits', edit('one', 'ONE'));
      await scene.change('apply_edits', edit('four', 'FOUR'), 'other');
      await scene.done('undo', { changes: [first] });
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'one\rtwo\rthree\rFOUR\r');
    }));

  it('of a text that is all new tells soon that it cannot be told apart', () =>
    withScene({ 'a.txt': '' }, async (scene, directory) => {
      const linesOf = (word: string): string =>
        Array.from({ length: 6_000 }, (_, line) => `${word} ${line}\n`).join('');
      const text = linesOf('old');
      writeFinished(join(directory, 'a.txt'), text);
      const first = await scene.change('apply_edits', edit('old 3000\n', 'changed\n'));
      writeFinished(join(directory, 'a.txt'), linesOf('new'));
      assert.equal(refusedWith(await scene.call('undo', { changes: [first] })).kind, 'undo_conflict');
    }));

  it('writes no more than several changes may', () =>
    withDirectory({}, async (directory) => {
      const scene = new HistoryScene(directory, { maxBytes: 1_000 });
      const paths = ['a', 'b', 'c', 'd', 'e'];
      for (const path of paths) await scene.change('create', { path, content: 'x'.repeat(900) });
      assert.equal(refusedWith(await scene.call('undo', { last: 5 })).kind, 'too_large');
      await scene.done('undo', { last: 4 });
      scene.close();
    }));
});

describe('a full disk', { skip: cannotMount() }, () => {
  it('refuses what could be done but not be recorded', () =>
    withDisk(async (disk) => {
      writeFinished(join(disk, 'a.txt'), 'one\n');
      const scene = new HistoryScene(disk);
      await scene.change('apply_edits', edit('one', 'two'));
      writeFileSync(join(disk, 'filler'), '');
      try {
        for (;;) appendFileSync(join(disk, 'filler'), Buffer.alloc(4_096));
      } catch {
        // Full.
      }
      const calls = [
        () => scene.call('delete', { path: 'a.txt' }),
        () => scene.call('rename', { old_path: 'a.txt', new_path: 'b.txt' }),
      ];
      for (const call of calls) assert.equal(refusedWith(await call()).data.errno, 'ENOSPC');
      assert.equal(readFileSync(join(disk, 'a.txt'), 'utf8'), 'two\n');
      assert.equal(logIn(disk).length, 1);
      rmSync(join(disk, 'filler'));
      await scene.change('delete', { path: 'a.txt' });
      scene.close();
    }));
});

describe('a view of what was there before', () => {
  it('shows a file that was only moved, also once it was moved on and changed', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene) => {
      const first = await scene.change('rename', { old_path: 'a.txt', new_path: 'b.txt' });
      const viewed = async (): Promise<unknown> =>
        JSON.parse(String((await scene.done('view', { path: 'a.txt', before_change: first }))['content']));
      assert.equal(await viewed(), 'one\n');
      await scene.change('rename', { old_path: 'b.txt', new_path: 'd/c.txt' });
      assert.equal(await viewed(), 'one\n');
      await scene.change('rename', { old_path: 'd', new_path: 'e' });
      assert.equal(await viewed(), 'one\n');
      await scene.change('apply_edits', { path: 'e/c.txt', edits: [{ old_string: 'one', new_string: 'two' }] });
      await scene.change('rename', { old_path: 'e/c.txt', new_path: 'b.txt' });
      assert.equal(await viewed(), 'one\n');
    }));

  it('keeps to the size limit, and is for one path', () =>
    withScene({ 'a.txt': 'x'.repeat(2_000) }, async (scene, directory) => {
      const id = await scene.change('apply_edits', edit('x'.repeat(2_000), 'y'));
      const small = new HistoryScene(directory, { maxBytes: 1_000 });
      assert.equal(refusedWith(await small.call('view', { path: 'a.txt', before_change: id })).kind, 'too_large');
      small.close();
      const several = await scene.call('view', { files: [{ path: 'a.txt' }], before_change: id });
      assert.equal(refusedWith(several).kind, 'invalid_params');
    }));
});
