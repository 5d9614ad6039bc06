import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { failure } from '../../src/core/errors.js';
import { rows, type OperationName } from '../../src/core/operations.js';
import { PendingCall } from '../../src/pool/pending-call.js';
import { ReadQueue } from '../../src/pool/queues.js';

const success = { ok: true, result: {} } as const;

function pending(name: OperationName = 'read_file'): PendingCall {
  const operation = rows[name];
  const call = new PendingCall(operation, { name: 'a.txt' }, {}, 60_000);
  made.push(call);
  return call;
}

const made: PendingCall[] = [];
afterEach(() => {
  for (const call of made.splice(0)) call.settle(success);
});

const several = (count: number, name?: OperationName): PendingCall[] =>
  Array.from({ length: count }, () => pending(name));

/** A queue whose tasks run until the test ends them, with the number of their calls that were answered. */
class Scene {
  readonly tasks: { calls: readonly PendingCall[]; end: (answered: number) => Promise<void> }[] = [];
  readonly queue = new ReadQueue(
    (calls) =>
      new Promise((resolve) => {
        const end = async (answered: number): Promise<void> => {
          for (const call of calls.slice(0, answered)) call.settle(success);
          for (const call of calls.slice(0, answered)) call.endIfSettled();
          resolve(calls.slice(answered));
          await tick();
        };
        this.tasks.push({ calls, end });
      }),
  );

  async add(...calls: PendingCall[]): Promise<void> {
    for (const call of calls) this.queue.add(call);
    await tick();
  }

  get sizes(): number[] {
    return this.tasks.map(({ calls }) => calls.length);
  }
}

describe('reads on their way to a thread', () => {
  it('travel together if they arrive in one tick of the event loop', async () => {
    const scene = new Scene();
    const calls = several(5);
    await scene.add(...calls);
    assert.deepEqual(
      scene.tasks.map((task) => task.calls),
      [calls],
    );
  });

  it('travel together if they name paths, too, but each search travels alone', async () => {
    const scene = new Scene();
    await scene.add(...several(5, 'view'));
    assert.deepEqual(scene.sizes, [5]);
    await scene.add(...several(2, 'glob'));
    assert.deepEqual(scene.sizes, [5, 1]);
  });

  it('wait while two tasks are under way, and then go together, at most 64 at a time', async () => {
    const scene = new Scene();
    await scene.add(pending());
    await scene.add(pending());
    const late = several(70);
    for (const call of late) await scene.add(call);
    assert.deepEqual(scene.sizes, [1, 1]);
    assert.equal(scene.queue.length, 70);
    await scene.tasks[0]?.end(1);
    assert.deepEqual(scene.tasks[2]?.calls, late.slice(0, 64));
    await scene.tasks[1]?.end(1);
    assert.deepEqual(scene.tasks[3]?.calls, late.slice(64));
    assert.equal(scene.queue.length, 0);
  });

  it('go again, before later ones, if their task ended without them', async () => {
    const scene = new Scene();
    const first = several(4);
    const second = several(2);
    await scene.add(...first);
    await scene.add(pending());
    await scene.add(...second);
    await scene.tasks[0]?.end(1);
    assert.deepEqual(scene.tasks[2]?.calls, [...first.slice(1), ...second]);
  });

  it('do not wait for a list, and a list does not wait for them', async () => {
    const scene = new Scene();
    await scene.add(pending(), pending('list_files'), pending('list_files'), pending());
    assert.deepEqual(scene.sizes, [1, 1]);
    assert.equal(scene.tasks[1]?.calls[0]?.operation.name, 'list_files');
  });

  it('are not sent if they were answered while they waited', async () => {
    const scene = new Scene();
    const calls = several(3);
    for (const call of calls) scene.queue.add(call);
    calls[1]?.cancel(failure('timed_out', 'late'));
    await tick();
    assert.deepEqual(scene.tasks[0]?.calls, [calls[0], calls[2]]);
    await calls[1]?.ended;
    await scene.tasks[0].end(2);
    await Promise.all(calls.map((call) => call.ended));
  });

  it('form no task if all were answered while they waited', async () => {
    const scene = new Scene();
    const call = pending();
    scene.queue.add(call);
    call.cancel(failure('timed_out', 'late'));
    await tick();
    assert.deepEqual(scene.tasks, []);
    await call.ended;
  });
});
