/** Edits of a file that another program changes between their look at it and their commit. */
import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Progress } from '../../workers/progress.js';
import { Phase } from '../../src/core/thread/task.js';
import { withDirectory } from '../directory.js';
import { after } from '../faults.js';
import { GroupScene, type Edit } from './group-scene.js';

/** Another program acts while the new text is synced, in the first `times` attempts. */
function meanwhile(times: number, act: (attempt: number) => void): void {
  let attempt = 0;
  after('fsyncSync', () => {
    if (attempt < times) act(attempt++);
  });
}

const replaced: Edit = { edits: [{ line: 1, operation: 'replace', content: 'ONE' }], create_if_missing: false };

describe('an edit that another program overtakes', () => {
  it('begins again on what is there', () =>
    withDirectory({ 'a.txt': 'one\ntwo\n' }, async (directory) => {
      const scene = new GroupScene(directory, 'a.txt', { durability: 'file' });
      meanwhile(3, (attempt) => {
        appendFileSync(scene.path, `other ${String(attempt)}\n`);
      });
      const { answer } = await scene.run([replaced]);
      assert.equal(answer[0]?.ok, true);
      assert.equal(scene.text, 'ONE\ntwo\nother 0\nother 1\nother 2\n');
    }));

  it('is judged by what is there', () =>
    withDirectory({ 'a.txt': 'one\ntwo\n' }, async (directory) => {
      const scene = new GroupScene(directory, 'a.txt', { durability: 'file' });
      meanwhile(1, () => {
        writeFileSync(scene.path, '');
      });
      const { answer } = await scene.run([{ ...replaced, edits: [{ line: 2, operation: 'delete' }] }]);
      const [outcome] = answer;
      assert.ok(outcome?.ok === false && outcome.kind === 'invalid_range', JSON.stringify(outcome));
      assert.equal(scene.text, '');
    }));

  it('goes on with a file that appears where it would have made one, and makes one that is gone', () =>
    withDirectory({}, async (directory) => {
      const scene = new GroupScene(directory, 'a.txt', { durability: 'file' });
      meanwhile(2, (attempt) => {
        if (attempt === 0) writeFileSync(scene.path, 'other\n');
        else rmSync(scene.path);
      });
      const { answer } = await scene.run([{ append: 'mine', create_if_missing: true }]);
      assert.equal(answer[0]?.ok, true);
      assert.equal(scene.text, 'mine\n');
    }));

  it('is refused if it names the version that is gone', () =>
    withDirectory({ 'a.txt': 'one\ntwo\n' }, async (directory) => {
      const scene = new GroupScene(directory, 'a.txt', { durability: 'file' });
      const [before] = (await scene.run([{ create_if_missing: false }])).answer;
      assert.ok(before?.ok === true);
      meanwhile(1, () => {
        appendFileSync(scene.path, 'other\n');
      });
      await assert.rejects(scene.run([{ ...replaced, expected_hash: String(before.hash) }]), /modified concurrently/);
      assert.equal(scene.text, 'one\ntwo\nother\n');
    }));

  it('shows that it was overtaken until its commit is claimed, and ends when it is cancelled', () =>
    withDirectory({ 'a.txt': 'one\n' }, async (directory) => {
      const scene = new GroupScene(directory, 'a.txt', { durability: 'file' });
      const seen = new Set<number>();
      let view: Int32Array = new Int32Array(new SharedArrayBuffer(4));
      meanwhile(Infinity, (attempt) => {
        appendFileSync(scene.path, 'other\n');
        seen.add(Atomics.load(view, 0));
        if (attempt === 4) Atomics.store(view, 0, Phase.cancelled);
      });
      const progress = (phases: Int32Array, slot: number): Progress => {
        view = phases.subarray(slot);
        return new Progress(phases, slot);
      };
      const { answer, phases } = await scene.run([{ ...replaced, progress }]);
      assert.ok(answer[0]?.ok === false && answer[0].kind === 'cancelled', JSON.stringify(answer[0]));
      assert.deepEqual(seen, new Set([Phase.running, Phase.overtaken]));
      assert.deepEqual(phases, [Phase.cancelled]);
      assert.equal(scene.text, `one\n${'other\n'.repeat(5)}`);
    }));
});
