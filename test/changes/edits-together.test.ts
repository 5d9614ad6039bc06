/** Spec 6 and 14: calls of apply_changes that edit one file are committed together, as if one after the other. */
import assert from 'node:assert/strict';
import { fstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { rows, type Params } from '../../src/core/operations.js';
import type { TaskAnswer } from '../../src/core/thread/task.js';
import { perform } from '../../workers/perform.js';
import { Progress } from '../../workers/progress.js';
import type { Call } from '../../workers/handler.js';
import type { Workspace } from '../../workers/workspace.js';
import { hashOf } from '../../workers/text/text-file.js';
import { withDirectory } from '../directory.js';
import { counting, failing } from '../faults.js';
import { workspaceOf } from '../workspace.js';

type Changes = Params['apply_changes'];

/** Runs calls as one task. */
function run(workspace: Workspace, several: readonly Changes[]): Promise<TaskAnswer> {
  const phases = new Int32Array(new SharedArrayBuffer(several.length * Int32Array.BYTES_PER_ELEMENT));
  const calls = several.map((params, slot): Call<'apply_changes'> => {
    const context = { workspace, progress: new Progress(phases, slot), precondition: undefined, notices: [] };
    return { operation: rows.apply_changes, params, context };
  });
  return perform(rows.apply_changes, calls);
}

async function oneByOne(workspace: Workspace, several: readonly Changes[]): Promise<TaskAnswer> {
  const answers: TaskAnswer[number][] = [];
  for (const params of several) answers.push(...(await run(workspace, [params])));
  return answers;
}

const replacing = (old_string: string, new_string: string, more: object = {}, path = 'a.txt'): Changes => ({
  changes: [{ path, edits: [{ old_string, new_string }] }],
  return_hash: true,
  ...more,
});

const letter = fc.constantFrom('a', 'b', 'c', '\n', 'd\n', 'e\r\n');
const texts = fc.array(letter, { maxLength: 6 }).map((letters) => letters.join(''));
const call = fc.record({
  edits: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ old_string: letter, new_string: texts, replace_all: fc.boolean() }) },
      fc.record({ at: fc.constantFrom('start' as const, 'end' as const), new_string: texts }),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  dry_run: fc.constantFrom(false, false, false, true),
  return_hash: fc.boolean(),
  expected: fc.constantFrom(undefined, undefined, undefined, '0123456789abcdef'),
});

describe('calls that edit one file, in one task', () => {
  it('have the answers and the effect of the same calls one after the other', () =>
    fc.assert(
      fc.asyncProperty(texts, fc.array(call, { minLength: 2, maxLength: 6 }), (text, given) =>
        withDirectory({ 'a.txt': text, 'b/a.txt': text }, async (directory) => {
          const calls = given.map(({ edits, expected, ...params }): Changes => ({
            ...params,
            changes: [{ path: 'a.txt', edits, ...(expected === undefined ? {} : { expected_hash: expected }) }],
          }));
          const together = await run(workspaceOf(directory), calls);
          const after = await oneByOne(workspaceOf(join(directory, 'b')), calls);
          assert.deepEqual(together, after);
          assert.equal(
            readFileSync(join(directory, 'a.txt'), 'utf8'),
            readFileSync(join(directory, 'b/a.txt'), 'utf8'),
          );
        }),
      ),
      { numRuns: 150 },
    ));

  it('are written and synced once, without a record', () =>
    withDirectory({ 'a.txt': 'no 1\n' }, async (directory) => {
      const renames = counting('renameSync');
      const syncs = counting('fsyncSync');
      const links = counting('linkSync');
      const calls = Array.from({ length: 10 }, (_, i) => replacing(`no ${String(i + 1)}\n`, `no ${String(i + 2)}\n`));
      const answers = await run(workspaceOf(directory, { durability: 'full' }), calls);
      assert.ok(answers.every((each) => each.ok === true));
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'no 11\n');
      assert.deepEqual([renames(), syncs(), links()], [1, 2, 0]);
    }));

  it('name the file that a link leads to', () =>
    withDirectory({ 'real.txt': 'one\n' }, async (directory) => {
      symlinkSync('real.txt', join(directory, 'link.txt'));
      const calls = [replacing('one', 'two', {}, 'link.txt'), replacing('two', 'three', {}, 'link.txt')];
      const answers = await run(workspaceOf(directory), calls);
      const diffs = answers.map((each) => (each.ok === true ? each.result['diff'] : each));
      assert.match(String(diffs[1]), /^diff --git a\/real.txt b\/real.txt\n.*\n-two\n\+three\n$/s);
      assert.equal(readFileSync(join(directory, 'real.txt'), 'utf8'), 'three\n');
    }));

  for (const path of ['missing.txt', 'directory', '../a.txt', 'a/../../b']) {
    it(`are all refused for ${path}, as one by one`, () =>
      withDirectory({}, async (directory) => {
        mkdirSync(join(directory, 'directory'));
        const expected_hash = hashOf(Buffer.from('x'));
        const calls = [replacing('a', 'b', {}, path), replacing('c', 'd', {}, path)];
        const last = { changes: [{ path, expected_hash, edits: [{ old_string: 'a', new_string: 'b' }] }] };
        const workspace = workspaceOf(directory);
        const expected = await oneByOne(workspace, [...calls, last]);
        assert.deepEqual(await run(workspace, [...calls, last]), expected);
        assert.ok(expected.every((each) => each.ok === false && each.data?.change === 1));
      }));
  }

  it('are run again one by one if they cannot be written together', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      failing('renameSync', 'EIO');
      const calls = [replacing('one', 'two'), replacing('two', 'three')];
      const answers = await run(workspaceOf(directory), calls);
      assert.deepEqual(
        answers.map(({ ok }) => ok),
        [null, null],
      );
    }));

  it('say which change it was if their outcome is not durable', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      failing('fsyncSync', 'EIO', (fd) => fstatSync(fd).isDirectory());
      const calls = [replacing('one', 'two'), replacing('two', 'three')];
      const answers = await run(workspaceOf(directory, { durability: 'full' }), calls);
      for (const each of answers) {
        assert.ok(each.ok === false);
        assert.deepEqual([each.data?.change, each.data?.path, each.data?.applied], [1, 'a.txt', true]);
      }
    }));
});
