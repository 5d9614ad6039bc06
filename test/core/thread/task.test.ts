/** The thread contract, src/core/thread/task.ts, tested on the built worker. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { OperationName, Params } from '../../../src/core/operations.js';
import { closingBytes } from '../../../src/core/thread/closing.js';
import { timingBytes } from '../../../src/core/thread/timings.js';
import { unpack, type PackedAnswer } from '../../../src/core/thread/packed-answer.js';
import { Phase, type Task, type TaskAnswer, type ThreadSetup } from '../../../src/core/thread/task.js';
import { withDirectory } from '../../directory.js';

const worker = fileURLToPath(new URL('../../../dist/workers/main.cjs', import.meta.url));

type Run = <Name extends OperationName>(operation: Name, ...params: Params[Name][]) => Promise<TaskAnswer>;

/** Lends a thread whose working directory holds these files; the call slots of a task count from 0. */
function withThread(
  files: Readonly<Record<string, string>>,
  use: (run: Run, phases: Int32Array) => Promise<void>,
): Promise<void> {
  return withDirectory(files, async (directory) => {
    const phases = new SharedArrayBuffer(64 * Int32Array.BYTES_PER_ELEMENT);
    const workerData: ThreadSetup = {
      directory,
      readOnly: false,
      maxBytes: 1_000_000,
      maxLines: undefined,
      names: 'portable',
      durability: 'none',
      umask: 0o022,
      keepsReads: false,
      phases,
      timings: new SharedArrayBuffer(timingBytes),
      closing: new SharedArrayBuffer(closingBytes),
    };
    const pool: Piscina<Task, PackedAnswer> = new Piscina({ filename: worker, maxThreads: 1, workerData });
    try {
      await use(
        async (operation, ...params) =>
          unpack(await pool.run({ operation, calls: params.map((each, slot) => ({ params: each, slot })) })),
        new Int32Array(phases),
      );
    } finally {
      await pool.destroy();
    }
  });
}

const text = (outcome: TaskAnswer[number] | undefined): unknown => {
  const content = outcome?.ok === true ? outcome.result['content'] : undefined;
  return content instanceof Uint8Array ? JSON.parse(Buffer.from(content).toString()) : outcome;
};

describe('a task of several reads', () => {
  it('is answered with their outcomes in order; one failure harms no other', () =>
    withThread({ 'a.txt': 'a', 'b.txt': 'b' }, async (run) => {
      const outcomes = await run('read_file', { name: 'a.txt' }, { name: 'missing' }, { name: 'b.txt' });
      assert.equal(outcomes.length, 3);
      const [a, missing, b] = outcomes;
      assert.deepEqual([text(a), text(b)], ['a', 'b']);
      assert.equal(missing?.ok === false && missing.kind, 'not_found');
    }));

  it('skips cancelled reads', () =>
    withThread({ 'a.txt': 'a' }, async (run, phases) => {
      Atomics.store(phases, 1, Phase.cancelled);
      const [first, second, third] = await run('read_file', { name: 'a.txt' }, { name: 'a.txt' }, { name: 'a.txt' });
      assert.deepEqual([text(first), text(third)], ['a', 'a']);
      assert.equal(second?.ok === false && second.kind, 'cancelled');
      assert.deepEqual([...phases.slice(0, 3)], [Phase.ended, Phase.cancelled, Phase.ended]);
    }));

  it('ends early if its answers are large: the last calls are not begun', () =>
    withThread({ 'a.txt': 'a'.repeat(100_000), 'b.txt': 'b' }, async (run, phases) => {
      const large = Array.from({ length: 5 }, () => ({ name: 'a.txt' }));
      const outcomes = await run('read_file', ...large, { name: 'b.txt' });
      assert.equal(outcomes.length, 3);
      for (const outcome of outcomes) assert.equal(text(outcome), 'a'.repeat(100_000));
      assert.deepEqual([...phases.slice(0, 6)], [...Array<number>(3).fill(Phase.ended), ...Array<number>(3).fill(0)]);
    }));
});
