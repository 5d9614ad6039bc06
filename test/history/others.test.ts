/** Spec 18: what others do to the files and to the log. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { writeFinished } from '../directory.js';
import { before, counting, failing } from '../faults.js';
import { idAt } from '../../workers/history/change-id.js';
import { edit, HistoryScene, keptIn, logIn, textOfLog, withScene } from './scene.js';

describe('what another program has changed', () => {
  it('shows in the next record of the file, by its bytes', () =>
    withScene({ 'a.txt': 'one\n', 'b.txt': 'b' }, async (scene, directory) => {
      const outside = (): unknown =>
        logIn(directory)
          .at(-1)
          ?.files.map((each) => each.changed_outside ?? false);
      await scene.change('apply_edits', edit('one', 'two'));
      assert.deepEqual(outside(), [false], 'nothing is known of it yet');
      writeFinished(join(directory, 'a.txt'), 'two\n');
      await scene.change('apply_edits', edit('two', 'three'));
      assert.deepEqual(outside(), [false], 'the same bytes');
      writeFinished(join(directory, 'a.txt'), 'four\n');
      const other = new HistoryScene(directory);
      await other.change('apply_edits', edit('four', 'five'));
      other.close();
      assert.deepEqual(outside(), [true]);
      await scene.change('apply_edits', edit('five', 'six'));
      assert.deepEqual(outside(), [false]);
      rmSync(join(directory, 'a.txt'));
      await scene.change('create', { path: 'a.txt', content: 'again' });
      assert.deepEqual(outside(), [true], 'it was removed');
      await scene.change('delete', { path: 'a.txt' });
      writeFinished(join(directory, 'a.txt'), 'one\n');
      await scene.change('apply_edits', edit('one', 'two'));
      assert.deepEqual(outside(), [true], 'it was made');
    }));

  for (const count of [3, 40]) {
    it(`is known of ${String(count)} files that older parts of the log name, to a server that has just started`, () =>
      withScene({}, async (first, directory) => {
        // Small files of the log.
        const setup = { history: { days: 30, mostBytes: 1_048_576 } };
        const path = (number: number): string => `${String(number)}.txt`;
        const write = (scene: HistoryScene, number: number, text: string): Promise<string> =>
          scene.change('write', { path: path(number), content: text, expected_hash: '*' });
        const before = new HistoryScene(directory, setup);
        for (let number = 0; number < count; number++) {
          await before.change('create', { path: path(number), content: 'one' });
          for (let times = 0; times < 5; times++) await write(before, number, `${'x'.repeat(900)}${String(times)}`);
        }
        before.close();
        await first.change('create', { path: 'last.txt', content: 'x' });
        writeFinished(join(directory, path(1)), 'other');
        rmSync(join(directory, path(2)));
        const scene = new HistoryScene(directory, setup);
        await write(scene, 0, 'new');
        await write(scene, 1, 'new');
        await scene.change('create', { path: path(2), content: 'again' });
        await scene.change('create', { path: 'unknown', content: 'x' });
        for (let number = 3; number < count; number++) await write(scene, number, 'new');
        await write(scene, 1, 'newer');
        scene.close();
        const told = logIn(directory).slice(-(count + 2));
        assert.deepEqual(
          told.flatMap(({ files }, index) => (files[0]?.changed_outside === true ? index : [])),
          [1, 2],
        );
      }));
  }

  it('is known below a directory that was moved', () =>
    withScene({ 'd/a.txt': 'one\n' }, async (scene, directory) => {
      await scene.change('write', { path: 'd/a.txt', content: 'two\n', expected_hash: '*' });
      await scene.change('rename', { old_path: 'd', new_path: 'e' });
      await scene.change('write', { path: 'e/a.txt', content: 'three\n', expected_hash: '*' });
      assert.equal(logIn(directory).at(-1)?.files[0]?.changed_outside, undefined);
      writeFinished(join(directory, 'e/a.txt'), 'four\n');
      await scene.change('write', { path: 'e/a.txt', content: 'five\n', expected_hash: '*' });
      assert.equal(logIn(directory).at(-1)?.files[0]?.changed_outside, true);
    }));
});

describe('a history in which nothing was ever recorded', () => {
  it('is empty, and leaves no file open', { skip: process.platform !== 'linux' }, () =>
    withScene({ '.file-editor/x': '' }, async (scene) => {
      const open = (): number => readdirSync('/proc/self/fd').length;
      assert.deepEqual((await scene.done('history', {}))['changes'], []);
      const atFirst = open();
      for (let calls = 0; calls < 20; calls++) await scene.done('history', {});
      assert.ok(open() < atFirst + 10, `${String(open() - atFirst)} descriptors`);
    }),
  );
});

describe('a log that is damaged', () => {
  it('goes on behind half a line, which is passed over with a warning', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      const first = await scene.change('apply_edits', edit('one', 'two'));
      const log = join(directory, '.file-editor/history/000000000000000.jsonl');
      appendFileSync(log, '{"id":"b7');
      const second = await scene.change('apply_edits', edit('two', 'three'));
      const answer = await scene.call('history', {});
      assert.ok(answer.ok === true);
      const changes = answer.result['changes'] as { id: string }[];
      assert.deepEqual(
        changes.map(({ id }) => id),
        [second, first],
      );
      assert.match(answer.notices?.[0]?.message ?? '', /cannot be read/);
    }));

  it('keeps nobody from starting or writing', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      mkdirSync(join(directory, '.file-editor/history/kept'), { recursive: true });
      writeFileSync(join(directory, '.file-editor/history/000000000000000.jsonl'), Buffer.alloc(3_000, 0));
      const wrong = { id: idAt(3_000), time: '', operation: 'undo', files: [{ path: 5 }] };
      const lines = `${JSON.stringify(wrong)}\n{}\n[1]\n"x"\n`;
      writeFileSync(join(directory, '.file-editor/history/000000000003000.jsonl'), lines);
      scene.start();
      const id = await scene.change('apply_edits', edit('one', 'two'));
      assert.deepEqual((await scene.done('undo', { last: 2 }))['undone'], [id]);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'one\n');
    }));

  it('begins again if another program removes it', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      const first = await scene.change('apply_edits', edit('one', 'two'));
      rmSync(join(directory, '.file-editor'), { recursive: true });
      const second = await scene.change('apply_edits', edit('two', 'three'));
      assert.equal(logIn(directory).length, 1);
      assert.ok(second > first, 'no id is used twice');
      assert.equal((await scene.done('history', { after: first }))['gap'], true);
    }));
});

describe('a change that cannot be recorded', () => {
  it('is not made if that is known before', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      mkdirSync(join(directory, '.file-editor'));
      writeFileSync(join(directory, '.file-editor/history'), '');
      const answer = await scene.call('apply_edits', edit('one', 'two'));
      assert.ok(answer.ok === false);
      assert.match(`${answer.message}. ${answer.details}`, /history cannot be written.*\.file-editor\/history/);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'one\n');
    }));

  it('is reported as made, without its record, if the disk is full at that moment', () =>
    withScene({ 'a.txt': 'one\n' }, async (scene, directory) => {
      await scene.change('apply_edits', edit('one', 'two'));
      const before = textOfLog(directory);
      let written = 0;
      failing('writeSync', 'ENOSPC', () => ++written > 1);
      const answer = await scene.call('apply_edits', edit('two', 'three'));
      assert.ok(answer.ok === false);
      assert.deepEqual([answer.kind, answer.data?.applied, answer.data?.errno], ['not_durable', true, 'ENOSPC']);
      assert.equal(textOfLog(directory), before, 'nothing is half recorded');
    }));
});

describe('with --durability=full', () => {
  it('a change is synced with its record and with what is kept', () =>
    withScene(
      { 'a.txt': 'one\n' },
      async (scene) => {
        await scene.change('apply_edits', edit('one', 'two'));
        const syncs = counting('fsyncSync');
        await scene.change('apply_edits', edit('two', 'three'));
        assert.equal(syncs(), 4, 'the text, the log, the kept files, the directory');
      },
      { durability: 'full' },
    ));

  it('what several changes replace is kept on disk before anything of it is gone', () =>
    withScene(
      { 'a.txt': 'one\n', 'b.txt': 'two\n' },
      async (scene, directory) => {
        await scene.change('apply_edits', edit('one', 'two'));
        const { ino } = statSync(join(directory, '.file-editor/history/kept'));
        const seen: string[] = [];
        const sync = (fd: number): void => {
          if (fstatSync(fd).ino === ino) seen.push('sync');
        };
        before('fsync', sync);
        before('fsyncSync', sync);
        for (const name of ['renameSync', 'unlinkSync'] as const) {
          before(name, (...paths) => {
            if (/\/[ab]\.txt$/.test(String(paths.at(-1)))) seen.push('change');
          });
        }
        await scene.change('apply_changes', {
          changes: [
            { path: 'a.txt', edits: [{ old_string: 'two', new_string: 'three' }] },
            { path: 'b.txt', delete: true },
          ],
        });
        assert.deepEqual(seen, ['sync', 'change', 'change', 'sync']);
        assert.equal(keptIn(directory).length, 3);
      },
      { durability: 'full' },
    ));

  const remove = (path: string): { path: string; delete: true } => ({ path, delete: true });

  it('of several changes that are not made after all, nothing stays kept', () =>
    withScene(
      { 'a.txt': 'one\n', 'b.txt': 'two\n' },
      async (scene, directory) => {
        failing('linkSync', 'EIO', (_, to) => String(to).endsWith('/changes'));
        const answer = await scene.call('apply_changes', { changes: [remove('a.txt'), remove('b.txt')] });
        assert.equal(answer.ok, false);
        assert.deepEqual(keptIn(directory), []);
      },
      { durability: 'full' },
    ));
});
