/** The history (spec 18): what two servers record, what a killed one leaves, and what is taken back. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textOf, withDirectory } from '../files.js';
import { startServer } from '../scene.js';

const flags = ['--history', '--caller=tester'];

const edit = (path: string, from: string, to: string): object => ({
  path,
  edits: [{ old_string: from, new_string: to }],
});

describe('the history', () => {
  it('tells what two servers have changed, and takes back what one of them did', () =>
    withDirectory({ 'd/a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'b.txt': 'b\n', 'c.txt': 'c\n' }, async (directory) => {
      const mine = await startServer(directory, flags);
      const other = await startServer(directory, ['--history', '--caller=other']);
      try {
        await mine.done('apply_edits', edit('d/a.txt', 'two', 'TWO'));
        await other.done('apply_edits', edit('d/a.txt', 'five', 'FIVE'));
        await mine.done('delete', { path: 'b.txt' });
        await mine.done('rename', { old_path: 'c.txt', new_path: 'new/c.txt' });
        await mine.done('apply_changes', {
          changes: [
            { path: 'b.txt', content: 'again\n' },
            { path: 'new/c.txt', rename_to: 'c.txt' },
          ],
        });
        const waiting = other.done('history', { after: '', caller: 'nobody', wait: 1 });
        const { changes, last } = await other.done('history', {});
        assert.ok(Array.isArray(changes) && changes.length === 5);
        assert.deepEqual((await waiting)['changes'], []);
        const { undone, change_id } = await mine.done('undo', { last: 100 });
        assert.ok(Array.isArray(undone) && undone.length === 4);
        assert.equal(textOf(directory, 'd/a.txt'), 'one\ntwo\nthree\nfour\nFIVE\n');
        assert.equal(textOf(directory, 'b.txt'), 'b\n');
        assert.equal(textOf(directory, 'c.txt'), 'c\n');
        assert.equal(existsSync(join(directory, 'new')), false);
        const news = (await other.done('history', { after: last, wait: 20 }))['changes'];
        assert.ok(JSON.stringify(news).includes(`"id":"${String(change_id)}"`));
      } finally {
        await mine.kill();
        await other.kill();
      }
    }));

  it('takes back the move of a directory together with what was changed in it', () =>
    withDirectory({ 'd/a.txt': 'one\n' }, async (directory) => {
      const server = await startServer(directory, flags);
      try {
        await server.done('apply_edits', edit('d/a.txt', 'one', 'two'));
        await server.done('rename', { old_path: 'd', new_path: 'e/f' });
        await server.done('apply_edits', edit('e/f/a.txt', 'two', 'three'));
        await server.done('create', { path: 'e/f/b.txt', content: 'b' });
        const { change_id } = await server.done('undo', { last: 100 });
        assert.equal(textOf(directory, 'd/a.txt'), 'one\n');
        assert.deepEqual([existsSync(join(directory, 'd/b.txt')), existsSync(join(directory, 'e'))], [false, false]);
        await server.done('undo', { changes: [change_id] });
        assert.equal(textOf(directory, 'e/f/a.txt'), 'three\n');
      } finally {
        await server.kill();
      }
    }));

  it('is there after a kill, and shows files as they were', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const killed = await startServer(directory, flags);
      const { change_id } = await killed.done('apply_edits', edit('a.txt', 'one', 'two'));
      await killed.kill();
      const server = await startServer(directory, flags);
      try {
        const before = await server.done('view', { path: 'a.txt', before_change: change_id });
        assert.equal(before['content'], 'one\n');
        await server.done('undo', { last: 1 });
        assert.equal(textOf(directory, 'a.txt'), 'one\n');
      } finally {
        await server.kill();
      }
    }));
});
