import assert from 'node:assert/strict';
import { existsSync, linkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Outcome } from '../../src/core/errors.js';
import { withDirectory } from '../directory.js';
import { StorageScene } from '../operations/storage-scene.js';

const reasonOf = (outcome: Outcome): unknown => (outcome.ok ? 'done' : outcome.data?.reason);

describe('a rename to another case', () => {
  it('is a rename like any other where case tells files apart', () =>
    withDirectory({ 'a.txt': 'a' }, async (directory) => {
      const outcome = await new StorageScene(directory).call('rename', { old_path: 'a.txt', new_path: 'A.txt' });
      assert.ok(outcome.ok);
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'A.txt']);
    }));

  it('is refused if both names are in the directory, although they are one file', (test) =>
    withDirectory({ 'a.txt': 'a' }, async (directory) => {
      if (existsSync(join(directory, 'A.txt'))) {
        test.skip('case does not tell files apart here');
        return;
      }
      linkSync(join(directory, 'a.txt'), join(directory, 'A.txt'));
      const scene = new StorageScene(directory);
      const alone = await scene.call('rename', { old_path: 'a.txt', new_path: 'A.txt' });
      const among = await scene.call('apply_changes', {
        changes: [{ path: 'a.txt', rename_to: 'A.txt' }],
        dry_run: false,
      });
      assert.deepEqual([reasonOf(alone), reasonOf(among)], ['file_exists', 'invalid_params']);
      assert.deepEqual(readdirSync(directory).sort().slice(-2), ['A.txt', 'a.txt']);
    }));
});
