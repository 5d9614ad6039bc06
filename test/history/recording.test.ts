/** Spec 18: what the history says of each kind of change, and what is kept for it. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withDirectory } from '../directory.js';
import { failing } from '../faults.js';
import { content } from '../operations/recorded.js';
import { Anchor } from '../../workers/disk/paths/anchor.js';
import { keep } from '../../workers/history/kept-files.js';
import { edit, HistoryScene, keptIn, logIn, withScene } from './scene.js';

/** What is told of the last change. */
function lastOf(directory: string): unknown {
  const { operation, caller, files = [] } = logIn(directory).at(-1) ?? {};
  const told = files.map(({ path, kind, new_path, before, after }) => ({
    path,
    kind,
    ...(new_path === undefined ? {} : { new_path }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }));
  return { operation, caller, files: told };
}

describe('a record', () => {
  it('tells of every operation what was there, and what is left', () =>
    withScene({ 'a.txt': 'one\n', 'd/e.txt': 'e' }, async (scene, directory) => {
      const one = content('one\n');
      const told = async (...call: Parameters<HistoryScene['change']>): Promise<unknown> => {
        await scene.change(...call);
        return lastOf(directory);
      };
      const [agent, two, three] = ['agent', content('two\n'), content('two\nthree\n')];
      const file = (more: object): object => ({ path: 'a.txt', ...more });
      assert.deepEqual(await told('apply_edits', edit('one', 'two')), {
        operation: 'apply_edits',
        caller: agent,
        files: [file({ kind: 'edited', before: one, after: two })],
      });
      assert.deepEqual(await told('edit_file', { name: 'a.txt', append: 'three\n' }, 'other'), {
        operation: 'edit_file',
        caller: 'other',
        files: [file({ kind: 'edited', before: two, after: three })],
      });
      assert.deepEqual(await told('str_replace', { path: 'a.txt', old_str: 'three\n', new_str: '' }), {
        operation: 'str_replace',
        caller: agent,
        files: [file({ kind: 'edited', before: three, after: two })],
      });
      assert.deepEqual(await told('insert', { path: 'a.txt', insert_line: 2, new_str: 'three\n' }), {
        operation: 'insert',
        caller: agent,
        files: [file({ kind: 'edited', before: two, after: three })],
      });
      assert.deepEqual(await told('write', { path: 'a.txt', content: 'one\n', expected_hash: '*' }), {
        operation: 'write',
        caller: agent,
        files: [file({ kind: 'replaced', before: three, after: one })],
      });
      assert.deepEqual(await told('rename', { old_path: 'a.txt', new_path: 'n/b.txt' }), {
        operation: 'rename',
        caller: agent,
        files: [file({ kind: 'renamed', new_path: 'n/b.txt', before: one, after: one })],
      });
      assert.deepEqual(await told('create', { path: 'a.txt', content: 'two\n' }), {
        operation: 'create',
        caller: agent,
        files: [file({ kind: 'created', after: two })],
      });
      assert.deepEqual(await told('delete', { path: 'a.txt' }), {
        operation: 'delete',
        caller: agent,
        files: [file({ kind: 'deleted', before: two })],
      });
      assert.deepEqual(await told('edit_file', { name: 'f.txt', append: 'e', create_if_missing: true }), {
        operation: 'edit_file',
        caller: agent,
        files: [{ path: 'f.txt', kind: 'created', after: content('e\n') }],
      });
      assert.deepEqual(await told('rename', { old_path: 'd', new_path: 'x' }), {
        operation: 'rename',
        caller: agent,
        files: [{ path: 'd', kind: 'renamed', new_path: 'x' }],
      });
      mkdirSync(join(directory, 'empty'));
      symlinkSync('x/e.txt', join(directory, 'link'));
      assert.deepEqual(await told('delete', { path: 'empty' }), {
        operation: 'delete',
        caller: agent,
        files: [{ path: 'empty', kind: 'deleted' }],
      });
      assert.deepEqual(await told('delete', { path: 'link' }), {
        operation: 'delete',
        caller: agent,
        files: [{ path: 'link', kind: 'deleted' }],
      });
    }));

  it('of several files is one line, with a moved and edited file as one entry', () =>
    withScene({ 'a.txt': 'one\n', 'b.txt': 'b' }, async (scene, directory) => {
      const id = await scene.change('apply_changes', {
        changes: [
          { ...edit('one', 'two'), rename_to: 'n/a.txt' },
          { path: 'b.txt', delete: true },
        ],
      });
      assert.deepEqual(lastOf(directory), {
        operation: 'apply_changes',
        caller: 'agent',
        files: [
          { path: 'a.txt', kind: 'renamed', new_path: 'n/a.txt', before: content('one\n'), after: content('two\n') },
          { path: 'b.txt', kind: 'deleted', before: content('b') },
        ],
      });
      assert.deepEqual(
        logIn(directory).map((each) => each.id),
        [id],
      );
      assert.equal(keptIn(directory).length, 2);
    }));

  it('is not written for a call that changes nothing, is refused or only rehearses', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      assert.equal((await scene.done('apply_edits', edit('one', 'one')))['change_id'], undefined);
      assert.equal(
        (await scene.done('apply_changes', { changes: [edit('one', 'two')], dry_run: true }))['change_id'],
        undefined,
      );
      assert.equal((await scene.call('apply_edits', edit('absent', 'two'))).ok, false);
      assert.deepEqual([logIn(directory), keptIn(directory)], [[], []]);
    }));

  it('keeps the replaced file itself, and copies nothing', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      const { ino } = statSync(join(directory, 'a.txt'));
      await scene.change('apply_edits', edit('one', 'two'));
      const [name = ''] = keptIn(directory);
      const kept = join(directory, '.file-editor/history/kept', name);
      assert.deepEqual([statSync(kept).ino, readFileSync(kept, 'utf8')], [ino, 'one\n']);
    }));

  it('keeps a copy where the file system has no links', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      failing('linkSync', 'EPERM');
      await scene.change('apply_edits', edit('one', 'two'));
      const [name = ''] = keptIn(directory);
      assert.equal(readFileSync(join(directory, '.file-editor/history/kept', name), 'utf8'), 'one\n');
    }));

  it('is finished where the file system has no links and a killed process has left half a copy', () =>
    withDirectory({ 'a.txt': 'one\n', 'kept/0': 'on' }, (directory) => {
      failing('linkSync', 'EPERM');
      const kept = Anchor.open(join(directory, 'kept'));
      keep(kept, '0', join(directory, 'a.txt'));
      kept.close();
      assert.equal(readFileSync(join(directory, 'kept/0'), 'utf8'), 'one\n');
    }));

  it('and all that is kept are for the owner only', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      await scene.change('apply_edits', edit('one', 'two'));
      const modeOf = (path: string): number => statSync(join(directory, '.file-editor', path)).mode & 0o777;
      assert.deepEqual(['history', 'history/kept', 'history/000000000000000.jsonl'].map(modeOf), [0o700, 0o700, 0o600]);
    }));

  it('has a later id than all before it, and stands in the log under it', () =>
    withScene({ 'a.txt': '0' }, async (scene, directory) => {
      const other = new HistoryScene(directory);
      const ids: string[] = [];
      for (let number = 0; number < 40; number++) {
        const writer = number % 3 === 0 ? other : scene;
        ids.push(await writer.change('apply_edits', edit(String(number), String(number + 1))));
      }
      other.close();
      assert.deepEqual(ids.toSorted(), ids);
      assert.deepEqual(
        logIn(directory).map(({ id }) => id),
        ids,
      );
    }));
});

describe('calls that are committed together', () => {
  it('each have a record, and one file is kept for them', () =>
    withScene({ 'a.txt': '0\n' }, async (scene, directory) => {
      const answers = await scene.together(
        'apply_edits',
        [0, 1, 2, 9, 3].map((number) => edit(`${String(number)}\n`, `${String(number + 1)}\n`)),
      );
      const ids = answers.flatMap((each) => (each.ok === true ? [String(each.result['change_id'])] : []));
      const log = logIn(directory);
      assert.deepEqual(
        log.map(({ id }) => id),
        ids,
      );
      assert.deepEqual(
        log.map(({ files: [file] }) => [file?.before, file?.after]),
        [0, 1, 2, 3].map((number) => [content(`${String(number)}\n`), content(`${String(number + 1)}\n`)]),
      );
      assert.equal(keptIn(directory).length, 1);
      for (const [number, id] of ids.entries()) {
        const { content: text } = await scene.done('view', { path: 'a.txt', before_change: id });
        assert.equal(
          JSON.parse(
            `"${Buffer.from(text as Uint8Array)
              .toString()
              .replaceAll(/^"|"$/g, '')}"`,
          ),
          `${String(number)}\n`,
        );
      }
    }));

  it('leave one that puts in more than 64 kB to itself', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      const large = 'x'.repeat(70_000);
      const answers = await scene.together('apply_edits', [
        edit('one', 'two'),
        edit('two', large),
        edit(large, 'three'),
      ]);
      assert.equal(answers.length, 1);
      const more = await scene.together('apply_edits', [edit('two', large), edit(large, 'three')]);
      assert.equal(more.length, 1);
      assert.deepEqual(
        logIn(directory).map(({ on, files: [file] }) => [on, file?.put === undefined]),
        [
          [undefined, false],
          [undefined, true],
        ],
      );
    }));
});
