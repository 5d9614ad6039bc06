/** Spec 19: a name that was deleted is gone when the answer comes. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lendServer } from '../scene.js';

describe('a name', () => {
  const scene = lendServer({ 'sub/a.txt': 'x', 'sub/b.txt': 'x' });

  it('that was deleted or renamed is gone when the answer comes', async () => {
    const names = (): string[] => readdirSync(join(scene.directory, 'sub')).sort();
    for (let round = 0; round < 8; round++) {
      // It has just been read and edited: the server may still have it open.
      await scene.server.done('view', { path: 'sub/a.txt' });
      await scene.server.done('apply_edits', { path: 'sub/a.txt', edits: [{ at: 'end', new_string: 'y' }] });
      await scene.server.done('delete', { path: 'sub/a.txt' });
      assert.deepEqual(names(), ['b.txt']);
      await scene.server.done('create', { path: 'sub/a.txt', content: 'x' });
      await scene.server.done('apply_changes', { changes: [{ path: 'sub/a.txt', delete: true }] });
      assert.deepEqual(names(), ['b.txt']);
      const changes = [
        { path: 'sub/a.txt', content: 'x' },
        { path: 'sub/b.txt', rename_to: 'sub/c.txt' },
      ];
      await scene.server.done('apply_changes', { changes });
      assert.deepEqual(names(), ['a.txt', 'c.txt']);
      await scene.server.done('rename', { old_path: 'sub/c.txt', new_path: 'sub/b.txt' });
      assert.deepEqual(names(), ['a.txt', 'b.txt']);
    }
  });

  it('of a directory is free for a file, once it is empty and deleted', async () => {
    await scene.server.done('create', { path: 'empty/file.txt', content: 'x' });
    await scene.server.done('delete', { path: 'empty/file.txt' });
    await scene.server.done('delete', { path: 'empty' });
    await scene.server.done('create', { path: 'empty', content: 'x' });
  });

  it('of a directory that another server has left is gone, with what it kept there', async () => {
    const left = join(scene.directory, 'served/.file-editor');
    mkdirSync(left, { recursive: true });
    for (const name of ['.gitignore', '1f.lock', 'tree.lock']) writeFileSync(join(left, name), '');
    await scene.server.done('delete', { path: 'served' });
    assert.ok(!readdirSync(scene.directory).includes('served'));
  });

  it('of a directory is gone again if it was made for a change that is refused', async () => {
    const changes = [
      { path: 'new/deep/a.txt', content: 'x' },
      { path: 'sub/b.txt', edits: [{ old_string: 'no such text', new_string: 'y' }] },
    ];
    await scene.server.refused('apply_changes', { changes });
    assert.ok(!readdirSync(scene.directory).includes('new'));
  });

  it('of a file leads no further, and every call says so', async () => {
    for (const [method, params] of [
      ['view', {}],
      ['create', { content: 'x' }],
      ['delete', {}],
    ] as const) {
      for (const path of ['sub/b.txt/c', 'sub/b.txt/c/d']) {
        const { data } = await scene.server.refused(method, { path, ...params });
        assert.equal(data['reason'], 'not_a_directory', `${method} ${path}`);
      }
    }
  });
});
