/** Spec 18: beyond the days or the size, the oldest changes are forgotten, with what was kept for them. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../directory.js';
import { HistoryScene, keptIn, logIn } from './scene.js';

const megabyte = 1_048_576;

function bytesIn(directory: string): number {
  const log = join(directory, '.file-editor/history');
  return readdirSync(log, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).size, 0);
}

async function until(is: () => boolean): Promise<void> {
  for (let waited = 0; !is(); waited += 50) {
    assert.ok(waited < 20_000, 'it takes seconds');
    await sleep(50);
  }
}

describe('the history', () => {
  it('stays within its size, and forgets the oldest changes first', () =>
    withDirectory({ 'a.txt': `${'x'.repeat(20_000)}\n0` }, async (directory) => {
      const scene = new HistoryScene(directory, { history: { days: 30, mostBytes: megabyte } });
      const ids: string[] = [];
      for (let number = 0; number < 120; number++) {
        const edits = [{ old_string: `\n${String(number)}`, new_string: `\n${String(number + 1)}` }];
        ids.push(await scene.change('apply_edits', { path: 'a.txt', edits }));
      }
      await until(() => bytesIn(directory) <= megabyte && keptIn(directory).length === logIn(directory).length);
      const left = logIn(directory).map(({ id }) => id);
      assert.deepEqual(left, ids.slice(-left.length));
      assert.ok(left.length > 30, `${String(left.length)} changes are left`);
      const { gap, changes } = await scene.done('history', { after: ids[0] ?? '', limit: 1 });
      assert.deepEqual([gap, (changes as { id: string }[])[0]?.id], [true, left[0]]);
      assert.equal((await scene.call('undo', { changes: [ids[0] ?? ''] })).ok, false);
      await scene.done('undo', { last: 5 });
      scene.close();
    }));

  it('keeps to limits that were lowered, from the start', () =>
    withDirectory({ 'a.txt': '' }, async (directory) => {
      const before = new HistoryScene(directory);
      for (const letter of 'abcdefgh') {
        const content = letter.repeat(megabyte / 4);
        await before.change('write', { path: 'a.txt', content, expected_hash: '*' });
      }
      before.close();
      const after = new HistoryScene(directory, { history: { days: 30, mostBytes: megabyte } });
      const beside = new HistoryScene(directory);
      await beside.change('write', { path: 'b.txt', content: '' });
      after.start();
      await until(() => bytesIn(directory) <= megabyte);
      assert.deepEqual((await after.done('history', {}))['changes'], []);
      // Whoever had the older part of the log open goes on at once.
      const change = await beside.change('write', { path: 'c.txt', content: '' });
      assert.deepEqual(
        logIn(directory).map(({ id }) => id),
        [change],
      );
      beside.close();
      after.close();
    }));

  it('removes what was kept for changes that are too old, also from the newest part of the log', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const before = new HistoryScene(directory);
      for (const [from, to] of [
        ['one', 'two'],
        ['two', 'three'],
      ] as const) {
        await before.change('apply_edits', { path: 'a.txt', edits: [{ old_string: from, new_string: to }] });
      }
      before.close();
      const log = join(directory, '.file-editor/history/000000000000000.jsonl');
      const [first = '', second = ''] = readFileSync(log, 'utf8').split('\n');
      writeFileSync(log, `${first.replace(/"time":"\d{4}/, '"time":"2020')}\n${second}\n`);
      const scene = new HistoryScene(directory);
      scene.start();
      await until(() => keptIn(directory).length === 1);
      scene.close();
    }));

  it('forgets what is too old at the start, and gives no id twice', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const log = join(directory, '.file-editor/history');
      mkdirSync(join(log, 'kept'), { recursive: true });
      const old = JSON.stringify({
        id: 'a0',
        time: '2020-01-02T03:04:05.678Z',
        operation: 'delete',
        files: [{ path: 'b.txt', kind: 'deleted', before: { hash: '0', size: 1 }, kept: 'k' }],
      });
      writeFileSync(join(log, '000000000000000.jsonl'), `${old}\n`);
      writeFileSync(join(log, 'kept/k'), 'b');
      const scene = new HistoryScene(directory);
      const { changes } = await scene.done('history', {});
      assert.deepEqual(changes, [], 'even before it is removed');
      scene.start();
      const id = await scene.change('apply_edits', {
        path: 'a.txt',
        edits: [{ old_string: 'one', new_string: 'two' }],
      });
      assert.ok(id > 'a0');
      await until(() => logIn(directory).length === 1 && keptIn(directory).length === 1);
      assert.deepEqual(
        logIn(directory).map((each) => each.id),
        [id],
      );
      scene.close();
    }));

  it('does not keep what a killed process had kept without a line, once it is certain', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const scene = new HistoryScene(directory);
      await scene.change('apply_edits', { path: 'a.txt', edits: [{ old_string: 'one', new_string: 'two' }] });
      const [kept] = keptIn(directory);
      writeFileSync(join(directory, '.file-editor/history/kept/orphan'), '');
      scene.start();
      await sleep(1_500);
      assert.deepEqual(keptIn(directory), [kept, 'orphan'].toSorted(), 'its line may still come');
      scene.close();
    }));
});
