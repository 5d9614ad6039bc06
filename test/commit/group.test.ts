/** Spec 6: outcomes of a group when some step fails. */
import assert from 'node:assert/strict';
import {
  existsSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { rows } from '../../src/core/operations.js';
import { changeTogether } from '../../workers/commit/file-group.js';
import { FileText } from '../../workers/commit/file-text.js';
import { Absent } from '../../workers/commit/text-operation.js';
import { RootMoved } from '../../workers/disk/paths/root.js';
import type { Call } from '../../workers/handler.js';
import { Progress } from '../../workers/progress.js';
import { Phase, type TaskAnswer } from '../../src/core/thread/task.js';
import { hashOf } from '../../workers/text/text-file.js';
import { withDirectory } from '../directory.js';
import { workspaceOf } from '../workspace.js';
import { before, counting, failing } from '../faults.js';
import { GroupScene, type Edit } from './group-scene.js';

const append = (line: string): Edit => ({ append: `${line}\n` });
const replace = (line: number, content: string): Edit => ({ edits: [{ line, operation: 'replace', content }] });
const outOfRange = replace(99, 'never');

/** Cancelled by the main thread at the moment of the claim. */
class CancelledAtClaim extends Progress {
  constructor(
    private readonly memory: Int32Array,
    private readonly place: number,
  ) {
    super(memory, place);
  }

  override advance(next: Phase): boolean {
    if (next === Phase.claimed) Atomics.store(this.memory, this.place, Phase.cancelled);
    return super.advance(next);
  }
}

function cancelledBefore(phases: Int32Array, slot: number): Progress {
  Atomics.store(phases, slot, Phase.cancelled);
  return new Progress(phases, slot);
}

const told = (answer: TaskAnswer): unknown[] =>
  answer.map((outcome) => {
    if (outcome.ok === null) return 'undone';
    return outcome.ok ? outcome.result['new_total_lines'] : outcome.kind;
  });

const isDirectory = (fd: number): boolean => fstatSync(fd).isDirectory();

function withScene(text: string | undefined, use: (scene: GroupScene) => Promise<void>): Promise<void> {
  return withDirectory(text === undefined ? {} : { 'a.txt': text }, async (directory) => {
    await use(new GroupScene(directory, 'a.txt', { durability: 'full' }));
    const left = readdirSync(join(directory, '.file-editor')).filter((name) => name.endsWith('.tmp'));
    assert.deepEqual(left, []);
  });
}

describe('a group of edits', () => {
  it('is written and synced once', () =>
    withScene('0\n', async (scene) => {
      const renames = counting('renameSync');
      const syncs = counting('fsyncSync');
      const { answer, phases } = await scene.run(Array.from({ length: 10 }, (_, i) => append(String(i + 1))));
      assert.deepEqual(told(answer), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
      assert.equal(scene.text, '0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n');
      assert.equal(renames(), 1);
      assert.equal(syncs(), 2, 'the file and its directory');
      assert.deepEqual(new Set(phases), new Set([Phase.claimed]));
    }));

  it('is not written if none of its edits changes the file', () =>
    withScene('a\nb\n', async (scene) => {
      const renames = counting('renameSync');
      const before = statSync(scene.path, { bigint: true });
      const { answer } = await scene.run([{}, replace(1, 'a'), outOfRange, { expected_hash: 'other' }]);
      assert.deepEqual(told(answer), [2, 2, 'invalid_range', 'changed']);
      assert.equal(renames(), 0);
      assert.equal(statSync(scene.path, { bigint: true }).ctimeNs, before.ctimeNs);
    }));

  it('applies each edit to the result of the edits before it', () =>
    withScene('a\n', async (scene) => {
      const { answer } = await scene.run([
        append('b'),
        { ...replace(2, 'c'), expected_hash: hashOf(Buffer.from('a\nb\n')) },
        { ...append('never'), expected_hash: hashOf(Buffer.from('a\nb\n')) },
        outOfRange,
        { edits: [{ line: 1, operation: 'delete' }] },
      ]);
      assert.deepEqual(told(answer), [2, 2, 'changed', 'invalid_range', 1]);
      const [, , refused] = answer;
      assert.equal(refused?.ok === false && refused.data?.current_hash, hashOf(Buffer.from('a\nc\n')));
      assert.equal(scene.text, 'c\n');
    }));

  it('may create the file in one of its edits: earlier ones miss it, later ones find it', () =>
    withScene(undefined, async (scene) => {
      const create = { ...append('made'), create_if_missing: true };
      const { answer } = await scene.run([append('early'), create, append('late'), create]);
      assert.deepEqual(told(answer), ['not_found', 1, 2, 3]);
      assert.deepEqual(
        answer.map((outcome) => outcome.ok === true && outcome.result['file_created']),
        [false, true, false, false],
      );
      assert.equal(scene.text, 'made\nlate\nmade\n');
    }));

  it('prepares the content of a new file once, before taking its lock', () =>
    withDirectory({}, async (directory) => {
      const workspace = workspaceOf(directory);
      workspace.root.refresh();
      const made: boolean[] = [];
      const phases = new Int32Array(new SharedArrayBuffer(8));
      const context = { workspace, precondition: undefined, notices: [] };
      const calls = [0, 1].map((slot): Call<'edit_file'> => {
        const progress = new Progress(phases, slot);
        return { operation: rows.edit_file, params: { name: 'a.txt' }, context: { ...context, progress } };
      });
      const answer = await changeTogether(calls, {
        nameOf: ({ name }) => name,
        open: () => null,
        change: (_call, found) => {
          made.push(existsSync(join(directory, '.file-editor')));
          const old = found instanceof Absent ? '' : found.bytes.toString();
          return { text: new FileText(Buffer.from(`${old}a\n`)), answer: () => ({ ok: true, result: {} }) };
        },
      });
      assert.deepEqual(told(answer), [undefined, undefined]);
      assert.deepEqual(made, [false, false]);
      assert.deepEqual([...phases], [Phase.claimed, Phase.claimed]);
      assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'a\na\n');
      workspace.close();
    }));

  it('creates nothing if it misses its file', () =>
    withDirectory({}, async (directory) => {
      const { answer } = await new GroupScene(directory).run([append('a'), { ...append('b'), precondition: '*' }]);
      assert.deepEqual(told(answer), ['not_found', 'changed']);
      assert.deepEqual(readdirSync(directory), []);
    }));

  it('ends early if texts are large: the rest was not begun', () =>
    withScene('x'.repeat(9_000_000), async (scene) => {
      const { answer, phases } = await scene.run([append('a'), append('b'), append('c')]);
      assert.equal(answer.length, 2);
      assert.deepEqual(phases, [Phase.claimed, Phase.claimed, Phase.waiting]);
      assert.ok(scene.text?.endsWith('x\na\nb\n'));
    }));

  it('has all its edits ready while it is written, so the thread may die then without failing any', () =>
    withScene('a\n', async (scene) => {
      const seen: Phase[][] = [];
      let memory: Int32Array = new Int32Array();
      const watched = (phases: Int32Array, slot: number): Progress => new Progress((memory = phases), slot);
      before('fsyncSync', (fd) => {
        if (!isDirectory(fd)) seen.push([...memory] as Phase[]);
      });
      await scene.run([{ ...append('b'), progress: watched }, outOfRange, append('c')]);
      await scene.run([{ ...append('d'), progress: watched }]);
      assert.deepEqual(seen, [[Phase.ready, Phase.ready, Phase.ready], [Phase.running]]);
    }));
});

describe('an edit of a group that is cancelled', () => {
  it('is left out if it has not begun', () =>
    withScene('a\n', async (scene) => {
      const { answer } = await scene.run([append('b'), { ...append('never'), progress: cancelledBefore }, append('c')]);
      assert.deepEqual(told(answer), [2, 'cancelled', 3]);
      assert.equal(scene.text, 'a\nb\nc\n');
    }));

  it('is left out at the last moment, and the others apply to a text without it', () =>
    withScene('a\n', async (scene) => {
      const renames = counting('renameSync');
      const never = { ...append('never'), progress: (...at: [Int32Array, number]) => new CancelledAtClaim(...at) };
      const { answer, phases } = await scene.run([append('b'), never, replace(3, 'needs it'), append('c'), never]);
      assert.deepEqual(told(answer), [2, 'cancelled', 'invalid_range', 3, 'cancelled']);
      assert.equal(scene.text, 'a\nb\nc\n');
      assert.equal(renames(), 1);
      const { claimed, cancelled, ready } = Phase;
      assert.deepEqual(phases, [claimed, cancelled, ready, claimed, cancelled]);
    }));

  it('leaves the file alone if all others are cancelled too', () =>
    withScene('a\n', async (scene) => {
      const never = { ...append('never'), progress: (...at: [Int32Array, number]) => new CancelledAtClaim(...at) };
      assert.deepEqual(told((await scene.run([never, never])).answer), ['cancelled', 'cancelled']);
      await assert.rejects(scene.run([{ ...append('b'), progress: cancelledBefore }]), /Cancelled/);
      assert.equal(scene.text, 'a\n');
    }));
});

describe('a group of edits that cannot be written', () => {
  it('is returned undone, refused edits included, and logged', () =>
    withScene('a\n', async (scene) => {
      failing('renameSync', 'ENOSPC');
      const { answer, notices } = await scene.run([append('b'), outOfRange, append('c')]);
      assert.deepEqual(told(answer), ['undone', 'undone', 'undone']);
      assert.deepEqual(notices, [
        '3 edits could not be written together and are run one by one: Failed to write file atomically: ENOSPC',
      ]);
      assert.equal(scene.text, 'a\n');
    }));

  it('is refused if it is a single edit', () =>
    withScene('a\n', async (scene) => {
      failing('renameSync', 'ENOSPC');
      await assert.rejects(scene.run([append('b')]), /ENOSPC/);
      assert.equal(scene.text, 'a\n');
    }));

  it('reports a permanent failure in each answer, and is not written again', () =>
    withScene('a\n', async (scene) => {
      failing('fsyncSync', 'EIO', isDirectory);
      const { answer, notices } = await scene.run([append('b'), outOfRange, {}, append('c')]);
      assert.deepEqual(told(answer), ['not_durable', 'invalid_range', 2, 'not_durable']);
      for (const outcome of [answer[0], answer[3]]) assert.equal(outcome?.ok === false && outcome.data?.applied, true);
      assert.deepEqual(notices, []);
      assert.equal(scene.text, 'a\nb\nc\n');
    }));

  it('is not acknowledged when repeated before the directory is synced', () =>
    withScene('a\n', async (scene) => {
      let broken = true;
      let synced = 0;
      failing('fsyncSync', 'EIO', (fd) => {
        if (isDirectory(fd) && !broken) synced += 1;
        return isDirectory(fd) && broken;
      });
      const again = replace(1, 'b');
      await assert.rejects(scene.run([again]), /not confirmed durable/);
      assert.equal(scene.text, 'b\n');
      assert.deepEqual(told((await scene.run([again, outOfRange])).answer), ['not_durable', 'invalid_range']);
      broken = false;
      assert.deepEqual(told((await scene.run([again])).answer), [1]);
      assert.equal(synced, 1);
    }));

  it('runs again unchanged in the new directory if the directory was replaced', () =>
    withDirectory({ 'data/a.txt': 'a\n' }, async (directory) => {
      const scene = new GroupScene(join(directory, 'data'));
      const made = counting('renameSync');
      let moves = 1;
      const moved = (phases: Int32Array, slot: number): Progress => {
        return new (class extends Progress {
          override advance(next: Phase): boolean {
            if (next === Phase.running && moves-- > 0) {
              renameSync(dirname(scene.path), join(directory, 'moved'));
              mkdirSync(dirname(scene.path));
              writeFileSync(scene.path, 'another\n');
            }
            return super.advance(next);
          }
        })(phases, slot);
      };
      const edits = [append('b'), { ...append('c'), progress: moved }];
      await assert.rejects(scene.run(edits), RootMoved);
      assert.equal(made(), 1, 'the move itself');
      assert.deepEqual(told((await scene.run(edits)).answer), [2, 3]);
      assert.equal(scene.text, 'another\nb\nc\n');
      assert.equal(readFileSync(join(directory, 'moved/a.txt'), 'utf8'), 'a\n');
    }));
});
