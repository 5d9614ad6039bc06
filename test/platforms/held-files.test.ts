/**
 * Files that another program has open, on Windows. Here the system calls are made to fail as they do there; the proofs
 * run the same on Windows and in Wine.
 */
import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync, renameSync, type PathLike } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
// Before the platform is changed, because it selects the binary.
import 'fs-native-extensions';
import type { Outcome } from '../../src/core/errors.js';
import type { OperationName, Params } from '../../src/core/operations.js';
import { withDirectory } from '../directory.js';
import { failing, instead, mend } from '../faults.js';

const { platform } = process;

/** The other program lets go after so many milliseconds. */
function heldFor(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() < until;
}

const isFile =
  (name: string, isHeld: () => boolean) =>
  (...paths: readonly (PathLike | number | string | null | undefined)[]): boolean =>
    paths.some((path) => typeof path === 'string' && path.endsWith(name)) && isHeld();

describe('a file that another program has open', { skip: platform === 'win32' ? 'has its own tests' : false }, () => {
  type Call = <Name extends OperationName>(name: Name, params: Params[Name]) => Promise<Outcome>;
  let callsIn: (directory: string) => Promise<Call>;
  before(() => {
    Object.defineProperty(process, 'platform', { value: 'win32' });
    callsIn = async (directory) => {
      const [{ perform }, { Progress }, { rows }, { workspaceOf }] = await Promise.all([
        import('../../workers/perform.js'),
        import('../../workers/progress.js'),
        import('../../src/core/operations.js'),
        import('../workspace.js'),
      ]);
      const workspace = workspaceOf(directory, { durability: 'full' });
      return async (name, params) => {
        const progress = new Progress(new Int32Array(new SharedArrayBuffer(4)), 0);
        const context = { workspace, progress, precondition: undefined, notices: [] };
        const [outcome] = await perform(rows[name], [{ operation: rows[name], params, context }]);
        assert.ok(outcome !== undefined && outcome.ok !== null);
        return outcome;
      };
    };
  });
  after(() => {
    Object.defineProperty(process, 'platform', { value: platform });
  });

  const append = { name: 'a.txt', append: 'two', create_if_missing: false };
  const changes: Readonly<Record<string, (call: Call) => Promise<Outcome>>> = {
    edit_file: (call) => call('edit_file', append),
    write: (call) => call('write', { path: 'a.txt', content: 'two\n', encoding: 'utf-8', expected_hash: '*' }),
    delete: (call) => call('delete', { path: 'a.txt' }),
    rename: (call) => call('rename', { old_path: 'a.txt', new_path: 'b.txt' }),
    apply_changes: (call) =>
      call('apply_changes', {
        changes: [{ path: 'a.txt', edits: [{ old_string: 'one', new_string: 'two' }] }],
        dry_run: false,
      }),
  };

  /** What Windows refuses while a program has the file open. */
  function refuse(code: 'EPERM' | 'EACCES' | 'EBUSY', isHeld: () => boolean): void {
    failing('renameSync', code, isFile('a.txt', isHeld));
    failing('unlinkSync', code, isFile('a.txt', isHeld));
  }

  for (const [name, change] of Object.entries(changes)) {
    it(`is changed by ${name} once it is let go of`, () =>
      withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
        const call = await callsIn(directory);
        refuse('EPERM', heldFor(400));
        const outcome = await change(call);
        assert.ok(outcome.ok, JSON.stringify(outcome));
        assert.ok(!readdirSync(join(directory, '.file-editor')).some((each) => each.endsWith('.tmp')));
      }));
  }

  for (const code of ['EPERM', 'EACCES', 'EBUSY'] as const) {
    it(`is left as it was, and its holder named, if that keeps it (${code})`, async () => {
      refuse(code, () => true);
      await Promise.all(
        Object.entries(changes).map(([name, change]) =>
          withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
            const outcome = await change(await callsIn(directory));
            assert.ok(!outcome.ok, name);
            assert.equal(outcome.kind, 'write_failed', name);
            assert.match(outcome.message, /Failed to write file atomically: another program has it open/, name);
            assert.match(outcome.details, /Close the file in the other program/, name);
            assert.equal(outcome.data?.applied, undefined, name);
            assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'one\n', name);
            assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'a.txt'], name);
          }),
        ),
      );
    });
  }

  it('is not deleted if another file has taken its place when it is let go of', () =>
    withDirectory({ 'a.txt': 'one\n', 'other.txt': 'other\n' }, async (directory) => {
      const call = await callsIn(directory);
      let attempts = 0;
      failing('unlinkSync', 'EPERM', (path) => {
        if (!String(path).endsWith('a.txt') || attempts++ > 0) return false;
        renameSync(join(directory, 'other.txt'), join(directory, 'a.txt'));
        return true;
      });
      const outcome = await call('delete', { path: 'a.txt' });
      mend();
      assert.ok(!outcome.ok && outcome.kind === 'modified_concurrently', JSON.stringify(outcome));
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'other\n');
    }));

  it('has lost its name when the answer to a delete comes, although a reader closes it later', () =>
    withDirectory({ 'a.txt': 'one\n', 'b.txt': 'b\n' }, async (directory) => {
      const call = await callsIn(directory);
      instead('unlinkSync', (unlink, path) => {
        if (String(path).endsWith('.txt')) setTimeout(unlink, 200, path);
        else unlink(path);
      });
      assert.ok((await call('delete', { path: 'a.txt' })).ok);
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'b.txt']);
      const changes = [
        { path: 'b.txt', delete: true },
        { path: 'c.txt', content: 'c\n' },
      ];
      assert.ok((await call('apply_changes', { changes, dry_run: false })).ok);
      assert.deepEqual(readdirSync(directory).sort(), ['.file-editor', 'c.txt']);
      mend();
    }));

  it('is read once it is let go of, and otherwise its holder is named', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const call = await callsIn(directory);
      failing('openSync', 'EBUSY', isFile('a.txt', heldFor(300)));
      const read = await call('read_file', { name: 'a.txt' });
      assert.ok(read.ok, JSON.stringify(read));
      mend();
      failing(
        'openSync',
        'EBUSY',
        isFile('a.txt', () => true),
      );
      const refused = await call('view', { path: 'a.txt' });
      assert.ok(!refused.ok);
      assert.match(refused.message, /^Failed to read 'a\.txt': another program has it open \(EBUSY\)$/);
    }));

  it('does not hold up the thread that waits for it', () =>
    withDirectory({ 'a.txt': 'one\n', 'b.txt': 'b\n' }, async (directory) => {
      const call = await callsIn(directory);
      let isHeld = true;
      refuse('EPERM', () => isHeld);
      const waiting = call('edit_file', append);
      let turns = 0;
      while (turns < 20) {
        const other = await call('edit_file', { ...append, name: 'b.txt' });
        assert.ok(other.ok);
        turns++;
      }
      assert.equal(lstatSync(join(directory, 'a.txt')).size, 4, 'it still waits');
      isHeld = false;
      assert.ok((await waiting).ok);
    }));
});
