/** Spec 14: the engine of apply_changes as a library function. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { applyChanges, ApplyChangesError, type FileChange } from '../../src/library/apply-changes.js';
import { readUmask } from '../../src/pool/threads.js';
import { withDirectory } from '../directory.js';
import { needs } from '../needs.js';
// Else the first call does, within its timeout: that takes a busy Wine seconds.
import '../../workers/perform.js';

const edit: FileChange = { path: 'a.txt', edits: [{ old_string: 'one', new_string: 'two' }] };

/** What `applyChanges` rejects with. */
async function refusal(root: unknown, changes: unknown, options?: unknown): Promise<ApplyChangesError> {
  try {
    // Callers without types may pass anything.
    await Reflect.apply(applyChanges, undefined, [root, changes, options]);
  } catch (error) {
    assert.ok(error instanceof ApplyChangesError);
    assert.match(error.details, /\.$/);
    return error;
  }
  return assert.fail('it was not refused');
}

describe('applyChanges', () => {
  it('makes all changes, and reports them with one diff', () =>
    withDirectory({ 'a.txt': 'one\n', 'b.txt': 'b\n', 'c.txt': 'c\n' }, async (directory) => {
      const report = await applyChanges(directory, [
        edit,
        { path: 'b.txt', delete: true },
        { path: 'c.txt', rename_to: 'new/c.txt' },
        { path: 'd.txt', content: 'd\n' },
      ]);
      const { diff, ...others } = report;
      assert.deepEqual(others, {
        success: true,
        changes: [
          { path: 'a.txt', kind: 'edited', edits_applied: 1, total_replacements: 1 },
          { path: 'b.txt', kind: 'deleted' },
          { path: 'c.txt', kind: 'renamed', new_path: 'new/c.txt' },
          { path: 'd.txt', kind: 'created' },
        ],
        files_changed: 4,
        dry_run: false,
      });
      assert.match(diff, /^-one\n\+two$/m);
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'a.txt', 'd.txt', 'new']);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'two\n');
      assert.equal(readFileSync(join(directory, 'new/c.txt'), 'utf8'), 'c\n');
    }));

  it('gives new files the mode that the umask of the process allows', { skip: needs.modes }, () =>
    withDirectory({}, async (directory) => {
      await applyChanges(directory, [{ path: 'd.txt', content: 'd' }]);
      assert.equal(statSync(join(directory, 'd.txt')).mode & 0o777, 0o666 & ~readUmask());
    }),
  );

  it('writes nothing in a dry run, and tells hashes where they are asked for', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const { changes, dry_run } = await applyChanges(directory, [edit], { dry_run: true, return_hash: true });
      assert.equal(dry_run, true);
      assert.match(changes[0]?.hash ?? '', /^[0-9a-f]{16}$/);
      assert.deepEqual(readdirSync(directory), ['a.txt']);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'one\n');
    }));

  it('makes none if one fails, and says which', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const { code, message, path, data } = await refusal(directory, [edit, { path: 'b.txt', delete: true }]);
      assert.deepEqual([code, path, data.change], ['file_not_found', 'b.txt', 2]);
      assert.equal(message, 'Change 2 of 2 (b.txt) failed: File not found: b.txt');
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'one\n');
    }));

  it('refuses what a server would refuse, and what is no directory or no object', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const wrong: readonly (readonly [RegExp, ...Parameters<typeof refusal>])[] = [
        [/^Invalid params: \/changes must be an array of 1 to 100 items$/, directory, []],
        [
          /^Invalid params: \/changes\/0 must have edits, content, delete or rename_to$/,
          directory,
          [{ path: 'a.txt' }],
        ],
        [/^Invalid params: \/root is an unknown parameter$/, directory, [edit], { root: '.' }],
        [/^Invalid params: the options are no object$/, directory, [edit], 5],
        [/^Invalid params: root names no directory$/, join(directory, 'none'), [edit]],
        [/^Invalid params: root names no directory$/, join(directory, 'a.txt'), [edit]],
        [/^Invalid params: root names no directory$/, undefined, [edit]],
        [/^Invalid params: root names no directory$/, 'a\0b', [edit]],
      ];
      for (const [message, ...call] of wrong) {
        const refused = await refusal(...call);
        assert.match(refused.message, message);
        assert.equal(refused.code, 'invalid_params');
      }
      assert.equal(existsSync(join(directory, '.file-editor')), false);
    }));
});
