/** Spec 18: what an undo puts back, and what it refuses. The plain cases: test/operations/history.cases.ts. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { hashOf } from '../../workers/text/text-file.js';
import { writeFinished } from '../directory.js';
import { edit, everythingIn, HistoryScene, keptIn, logIn, refusedWith, withScene } from './scene.js';

describe('an undo', () => {
  it('puts back bytes, mode, existence and names, for every kind of change', () =>
    withScene({ 'a.txt': 'one\n', 'b.sh': '#!', 'c/d.txt': 'd' }, async (scene, directory) => {
      chmodSync(join(directory, 'b.sh'), 0o750);
      mkdirSync(join(directory, 'empty'));
      chmodSync(join(directory, 'empty'), 0o710);
      symlinkSync('a.txt', join(directory, 'link'));
      writeFileSync(join(directory, 'bytes'), Buffer.of(0xff, 0, 1));
      const before = everythingIn(directory);
      const calls: (() => Promise<string>)[] = [
        () => scene.change('apply_edits', edit('one', 'two')),
        () => scene.change('write', { path: 'bytes', content: '/w==', encoding: 'base64', expected_hash: '*' }),
        () => scene.change('create', { path: 'x/y/z.txt', content: 'z' }),
        () => scene.change('delete', { path: 'b.sh' }),
        () => scene.change('delete', { path: 'empty' }),
        () => scene.change('delete', { path: 'link' }),
        () => scene.change('rename', { old_path: 'a.txt', new_path: 'p/q/a.txt' }),
        () => scene.change('rename', { old_path: 'link', new_path: 'p/link2' }),
        () => scene.change('rename', { old_path: 'c', new_path: 'p/c' }),
        () =>
          scene.change('apply_changes', {
            changes: [
              { ...edit('one', 'two'), rename_to: 'm/a.txt' },
              { path: 'b.sh', content: 'other', expected_hash: '*' },
              { path: 'c/d.txt', delete: true },
              { path: 'link', delete: true },
              { path: 'n.txt', content: 'n' },
            ],
          }),
      ];
      for (const call of calls) {
        const id = await call();
        const changed = everythingIn(directory);
        assert.notDeepEqual(changed, before);
        const { change_id: undo } = await scene.done('undo', { changes: [id] });
        assert.deepEqual(everythingIn(directory), before);
        const { change_id: redo } = await scene.done('undo', { changes: [String(undo)] });
        // Directories that were made on the way are made again with the files in them.
        assert.deepEqual(everythingIn(directory), changed);
        await scene.done('undo', { changes: [String(redo)] });
        assert.deepEqual(everythingIn(directory), before);
      }
    }));

  it('of several changes of a file goes back through all of them', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      const before = everythingIn(directory);
      const ids = [
        await scene.change('apply_edits', edit('one', 'two')),
        await scene.change('apply_edits', edit('two', 'three')),
        await scene.change('rename', { old_path: 'a.txt', new_path: 'b.txt' }),
        await scene.change('apply_edits', { path: 'b.txt', edits: [{ old_string: 'three', new_string: 'four' }] }),
        await scene.change('delete', { path: 'b.txt' }),
        await scene.change('create', { path: 'b.txt', content: 'five' }),
      ];
      const { undone, change_id: undo } = await scene.done('undo', { last: 100 });
      assert.deepEqual(undone, ids.toReversed());
      assert.deepEqual(everythingIn(directory), before);
      assert.deepEqual(logIn(directory).at(-1)?.undoes, ids.toReversed());
      await scene.done('undo', { changes: [String(undo)] });
      assert.deepEqual(everythingIn(directory), { 'b.txt': ['644', 'five'] });
    }));

  it('of the move of a directory takes along what was changed in it before and since', () =>
    withScene({ 'd/a.txt': 'one\ntwo\nthree\n', 'd/b.txt': 'b\n', 'c.txt': 'c\n' }, async (scene, directory) => {
      const before = everythingIn(directory);
      await scene.change('write', { path: 'd/b.txt', content: 'B\n', expected_hash: '*' });
      await scene.change('apply_edits', { path: 'd/a.txt', edits: [{ old_string: 'one', new_string: 'ONE' }] });
      await scene.change('rename', { old_path: 'd', new_path: 'e/d' });
      await scene.change(
        'apply_edits',
        { path: 'e/d/a.txt', edits: [{ old_string: 'three', new_string: '3' }] },
        'other',
      );
      await scene.change('rename', { old_path: 'c.txt', new_path: 'e/d/c.txt' });
      await scene.change('rename', { old_path: 'e/d/b.txt', new_path: 'b.txt' });
      await scene.change('rename', { old_path: 'e', new_path: 'f' });
      const changed = everythingIn(directory);
      const { change_id: undo, changes } = await scene.done('undo', { last: 100 });
      assert.deepEqual(everythingIn(directory), { ...before, 'd/a.txt': ['644', 'one\ntwo\n3\n'] });
      assert.deepEqual(changes, [
        { path: 'b.txt', kind: 'renamed', new_path: 'f/d/b.txt' },
        { path: 'f/d/c.txt', kind: 'renamed', new_path: 'c.txt' },
        { path: 'f/d/a.txt', kind: 'edited' },
        { path: 'f/d', kind: 'renamed', new_path: 'd' },
      ]);
      await scene.done('undo', { changes: [String(undo)] });
      assert.deepEqual(everythingIn(directory), changed);
    }));

  it('removes what was made on the way, wherever it has gone since', () =>
    withScene({ 'd/e/a.txt': 'a' }, async (scene, directory) => {
      const before = everythingIn(directory);
      await scene.change('create', { path: 'new/n/x', content: 'x' });
      await scene.change('create', { path: 'g/q/r/y', content: 'y' });
      await scene.change('rename', { old_path: 'g/q/r', new_path: 'z' });
      await scene.change('rename', { old_path: 'new', new_path: 'lib/newer' });
      await scene.change('rename', { old_path: 'd/e', new_path: 'h/i/e' });
      await scene.change('rename', { old_path: 'h', new_path: 'd/h' });
      const changed = everythingIn(directory);
      const { change_id: undo, changes } = await scene.done('undo', { last: 100 });
      assert.deepEqual(everythingIn(directory), before);
      assert.deepEqual(changes, [
        { path: 'z/y', kind: 'deleted' },
        { path: 'lib/newer/n/x', kind: 'deleted' },
        { path: 'd/h/i/e', kind: 'renamed', new_path: 'd/e' },
      ]);
      await scene.done('undo', { changes: [String(undo)] });
      const filesIn = (tree: object): unknown => Object.entries(tree).filter(([, what]) => Array.isArray(what));
      assert.deepEqual(filesIn(everythingIn(directory)), filesIn(changed));
    }));

  it('tells the hash of what it leaves, also of what is only moved back', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene) => {
      await scene.change('rename', { old_path: 'a.txt', new_path: 'b.txt' });
      const { changes } = await scene.done('undo', { last: 1, return_hash: true });
      assert.deepEqual(changes, [
        { path: 'b.txt', kind: 'renamed', new_path: 'a.txt', hash: hashOf(Buffer.from('one\n')) },
      ]);
    }));

  it('names who has moved a directory in its way', () =>
    withScene({ 'd/a.txt': 'one\n' }, async (scene) => {
      const edited = await scene.change('write', { path: 'd/a.txt', content: 'two\n', expected_hash: '*' });
      const moved = await scene.change('rename', { old_path: 'd', new_path: 'e' }, 'other');
      const { data } = refusedWith(await scene.call('undo', { changes: [edited] }));
      assert.deepEqual(data, { path: 'd/a.txt', changed_by: { id: moved, caller: 'other' } });
    }));

  it('shows no directories in its diff, which would make files of them', () =>
    withScene({ 'd/a.txt': 'one\n' }, async (scene) => {
      for (const path of ['d/a.txt', 'd']) await scene.change('delete', { path });
      const { diff } = await scene.done('undo', { last: 2 });
      assert.equal(
        diff,
        'diff --git a/d/a.txt b/d/a.txt\nnew file mode 100644\n--- /dev/null\n+++ b/d/a.txt\n@@ -0,0 +1,1 @@\n+one\n',
      );
    }));

  it('gives a file that was deleted and made again its old mode', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      chmodSync(join(directory, 'a.txt'), 0o755);
      const ids = [
        await scene.change('delete', { path: 'a.txt' }),
        await scene.change('create', { path: 'a.txt', content: 'new' }),
      ];
      await scene.done('undo', { changes: ids });
      assert.deepEqual(everythingIn(directory), { 'a.txt': ['755', 'one\n'] });
    }));

  it('puts back a copy: what is kept stays, and can be put back again', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      const id = await scene.change('delete', { path: 'a.txt' });
      const [kept = ''] = keptIn(directory);
      await scene.done('undo', { changes: [id] });
      const at = join(directory, '.file-editor/history/kept', kept);
      assert.notEqual(statSync(at).ino, statSync(join(directory, 'a.txt')).ino);
      writeFileSync(join(directory, 'a.txt'), 'changed in place\n');
      assert.equal(readFileSync(at, 'utf8'), 'one\n');
    }));

  it('passes over undos and what is undone, so that it goes further back each time', () =>
    withScene({ 'a.txt': '0' }, async (scene, directory) => {
      for (let number = 0; number < 4; number++)
        await scene.change('apply_edits', edit(String(number), String(number + 1)));
      await scene.change('create', { path: 'other.txt', content: '' }, 'other');
      for (const text of ['3', '2', '1', '0']) {
        await scene.done('undo', { last: 1 });
        assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), text);
      }
      assert.equal(refusedWith(await scene.call('undo', { last: 1 })).kind, 'not_in_history');
      assert.ok(existsSync(join(directory, 'other.txt')));
    }));

  it('that was undone and made again counts again', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      const id = await scene.change('apply_edits', edit('one', 'two'));
      const undos = [id];
      for (let times = 0; times < 3; times++) {
        const { change_id: undo } = await scene.done('undo', { changes: undos.slice(-1) });
        undos.push(String(undo));
      }
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'one\n');
      const { data } = refusedWith(await scene.call('undo', { changes: [id] }));
      assert.equal(data.undone_by, undos[1]);
      assert.equal(refusedWith(await scene.call('undo', { last: 1 })).kind, 'not_in_history');
      const { changes } = await scene.done('history', {});
      const by = (changes as { undone_by?: string }[]).map(({ undone_by }) => undone_by);
      assert.deepEqual(by, [undefined, undos[3], undefined, undos[1]]);
    }));

  it('is all or nothing', () =>
    withScene({ 'a.txt': 'one\n', 'b.txt': 'b\n' }, async (scene, directory) => {
      const ids = [
        await scene.change('apply_edits', edit('one', 'two')),
        await scene.change('apply_edits', { path: 'b.txt', edits: [{ old_string: 'b', new_string: 'c' }] }),
      ];
      writeFinished(join(directory, 'a.txt'), 'mine\n');
      const before = everythingIn(directory);
      assert.equal(refusedWith(await scene.call('undo', { changes: ids })).kind, 'undo_conflict');
      assert.deepEqual(everythingIn(directory), before);
    }));

  it('names the change that is in the way, and its caller', () =>
    withScene({ 'a.txt': 'one\ntwo\nthree\nfour\n' }, async (scene) => {
      const first = await scene.change('apply_edits', edit('two', 'TWO'));
      await scene.change('apply_edits', edit('four', 'FOUR'), 'far');
      const second = await scene.change('apply_edits', edit('TWO', 'Two'), 'near');
      await scene.change('apply_edits', edit('FOUR', 'Four'), 'far');
      const { kind, data } = refusedWith(await scene.call('undo', { changes: [first] }));
      assert.deepEqual(
        [kind, data],
        ['undo_conflict', { path: 'a.txt', line: 2, changed_by: { id: second, caller: 'near' } }],
      );
    }));

  it('names who has deleted, renamed or replaced the file', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene) => {
      const first = await scene.change('apply_edits', edit('one', 'two'));
      const moved = await scene.change('rename', { old_path: 'a.txt', new_path: 'b.txt' }, 'mover');
      const conflict = async (): Promise<unknown> => refusedWith(await scene.call('undo', { changes: [first] })).data;
      assert.deepEqual(await conflict(), { path: 'a.txt', changed_by: { id: moved, caller: 'mover' } });
      const made = await scene.change('create', { path: 'a.txt', content: 'new' }, 'maker');
      assert.deepEqual(await conflict(), { path: 'a.txt', line: 1, changed_by: { id: made, caller: 'maker' } });
    }));

  it('does not put back what was altered after it was kept', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      const id = await scene.change('apply_edits', edit('one', 'two'));
      const [kept = ''] = keptIn(directory);
      const at = join(directory, '.file-editor/history/kept', kept);
      writeFileSync(at, 'ONE\n');
      assert.equal(refusedWith(await scene.call('undo', { changes: [id] })).kind, 'undo_conflict');
      assert.equal(refusedWith(await scene.call('view', { path: 'a.txt', before_change: id })).kind, 'not_in_history');
      rmSync(at);
      assert.equal(refusedWith(await scene.call('undo', { changes: [id] })).kind, 'undo_conflict');
    }));

  it('rebuilds a large change from what the next one kept, and says when it cannot', () =>
    withScene({ 'a.txt': 'first\nlast\n' }, async (scene, directory) => {
      const large = Array.from({ length: 5_000 }, (_, line) => `a line of text, ${String(line)}\n`).join('');
      const id = await scene.change('apply_edits', edit('first\n', `first\n${large}`));
      writeFinished(join(directory, 'a.txt'), `first\n${large}last\nand another program\n`);
      assert.equal(refusedWith(await scene.call('undo', { changes: [id] })).kind, 'undo_conflict');
      writeFinished(join(directory, 'a.txt'), `first\n${large}last\n`);
      await scene.change('edit_file', { name: 'a.txt', append: 'more\nand more\n' }, 'other');
      await scene.done('undo', { changes: [id] });
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'first\nlast\nmore\nand more\n');
    }));

  it('is judged again under its locks', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      const id = await scene.change('apply_edits', edit('one', 'two'));
      const other = new HistoryScene(directory);
      const answers = await Promise.all([
        scene.call('undo', { changes: [id] }),
        other.call('undo', { changes: [id] }),
        scene.call('undo', { changes: [id] }),
      ]);
      other.close();
      assert.equal(answers.filter((each) => each.ok === true).length, 1);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'one\n');
    }));

  it('takes what cancels itself out for undone, and goes further back', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      const older = await scene.change('create', { path: 'n', content: 'n' });
      await scene.change('apply_edits', edit('one', 'two'));
      await scene.change('apply_edits', edit('two', 'one'));
      const { files_changed, change_id } = await scene.done('undo', { last: 2 });
      assert.deepEqual([files_changed, logIn(directory).at(-1)?.files], [0, []]);
      const { changes } = await scene.done('history', { limit: 3 });
      const by = (changes as { id: string; undone_by?: string }[]).map(({ undone_by }) => undone_by);
      assert.deepEqual(by, [undefined, change_id, change_id]);
      assert.deepEqual((await scene.done('undo', { last: 2 }))['undone'], [older]);
    }));

  it('puts back the modes of directories and of what is in them, and is undone itself', () =>
    withScene({ 'e/f': 'f\n', 'e/g/h': 'h\n' }, async (scene, directory) => {
      chmodSync(join(directory, 'e/g'), 0o700);
      chmodSync(join(directory, 'e'), 0o750);
      const before = everythingIn(directory);
      const paths = ['e/f', 'e/g/h', 'e/g', 'e'];
      for (const path of paths) await scene.change('delete', { path });
      const { change_id: undo } = await scene.done('undo', { last: paths.length });
      assert.deepEqual(everythingIn(directory), before);
      await scene.done('undo', { changes: [String(undo)] });
      assert.deepEqual(everythingIn(directory), {});
    }));

  it('does not remove a directory into which another program has put something', () =>
    withScene({ 'e/f': 'f\n' }, async (scene, directory) => {
      for (const path of ['e/f', 'e']) await scene.change('delete', { path });
      const { change_id: undo } = await scene.done('undo', { last: 2 });
      writeFinished(join(directory, 'e/other'), 'x');
      const { kind, data } = refusedWith(await scene.call('undo', { changes: [String(undo)] }));
      assert.deepEqual([kind, data.path], ['undo_conflict', 'e']);
      assert.ok(existsSync(join(directory, 'e/f')), 'all or nothing');
    }));

  it('goes one at a time where the name of a moved directory was used again', () =>
    withScene({ 'd/a.txt': 'a' }, async (scene, directory) => {
      const before = everythingIn(directory);
      await scene.change('rename', { old_path: 'd', new_path: 'x' });
      await scene.change('create', { path: 'd/g', content: 'g' });
      assert.equal(refusedWith(await scene.call('undo', { last: 2 })).kind, 'undo_conflict');
      for (let times = 0; times < 2; times++) await scene.done('undo', { last: 1 });
      assert.deepEqual(everythingIn(directory), before);
    }));

  it('names another program if that has changed the lines before the next change', () =>
    withScene({ 'a.txt': 'one\ntwo\nthree\nfour\nfive\n' }, async (scene, directory) => {
      const first = await scene.change('apply_edits', edit('two', 'TWO'));
      writeFinished(join(directory, 'a.txt'), 'one\nTWO\nTHREE\nfour\nfive\n');
      await scene.change('apply_edits', edit('five', 'FIVE'), 'innocent');
      assert.deepEqual(refusedWith(await scene.call('undo', { changes: [first] })).data, { path: 'a.txt', line: 3 });
    }));
});
