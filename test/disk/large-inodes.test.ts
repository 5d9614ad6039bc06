/** Cluster file systems use inode numbers beyond 2^53, where two neighbours are the same JavaScript number. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { OperationError } from '../../src/core/errors.js';
import { entryAt } from '../../workers/disk/paths/find.js';
import { move } from '../../workers/disk/write/move.js';
import { Root } from '../../workers/disk/paths/root.js';
import { walk } from '../../workers/disk/paths/walk.js';
import { withDirectory } from '../directory.js';

/** An overlay puts the number of the layer into the highest bits of the inode if it can. */
function mountOverlay(directory: string): boolean {
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', directory]);
  const layers = ['lower', 'upper', 'work', 'merged'].map((name) => join(directory, name));
  const [lower = '', upper = '', work = '', merged = ''] = layers;
  for (const layer of layers) mkdirSync(layer);
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', lower]);
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(lower, name), name);
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work},xino=on`;
  return spawnSync('mount', ['-t', 'overlay', 'overlay', '-o', options, merged]).status === 0;
}

describe('files whose inode numbers differ only beyond double precision', () => {
  const skip = process.platform !== 'linux' || process.getuid?.() !== 0 ? 'needs root to mount a file system' : false;

  it('are distinguished: a file that replaced the one to be renamed stays', { skip }, (test) =>
    withDirectory({}, async (directory) => {
      try {
        if (!mountOverlay(directory)) {
          test.skip('needs overlay file systems');
          return;
        }
        const merged = join(directory, 'merged');
        const [a, b] = ['a.txt', 'b.txt'].map((name) => lstatSync(join(merged, name), { bigint: true }).ino);
        assert.notEqual(a, b);
        if (Number(a) !== Number(b)) {
          test.skip(`needs large inodes; this kernel gives ${String(a)} and ${String(b)}`);
          return;
        }
        const root = new Root(merged);
        root.refresh();
        const [from, to] = [walk(root, 'a.txt'), walk(root, 'c.txt')];
        assert.ok(from !== 'root' && to !== 'root');
        const what = entryAt(from);
        assert.ok(what);
        const replaceIt = (): void => {
          renameSync(join(merged, 'b.txt'), join(merged, 'a.txt'));
        };
        await assert.rejects(
          move(root, { from, to, what }, { isHeld: () => true, claim: replaceIt, synced: false, notices: [] }),
          (error) => error instanceof OperationError && error.failure.kind === 'modified_concurrently',
        );
        for (const { parent } of [from, to]) parent.close();
        root.close();
        assert.equal(readFileSync(join(merged, 'a.txt'), 'utf8'), 'b.txt');
      } finally {
        spawnSync('umount', [join(directory, 'merged')]);
        spawnSync('umount', [join(directory, 'lower')]);
        spawnSync('umount', ['-l', directory]);
      }
    }),
  );
});
