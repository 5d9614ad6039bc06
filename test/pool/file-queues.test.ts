import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { failure } from '../../src/core/errors.js';
import { operations, type Operation, type Params } from '../../src/core/operations.js';
import { FileQueues } from '../../src/pool/queues.js';
import { PendingCall } from '../../src/pool/pending-call.js';

const success = { ok: true, result: {} } as const;
const made: PendingCall[] = [];
afterEach(() => {
  for (const call of made.splice(0)) call.settle(success);
});

function row(name: string): Operation {
  const operation = operations.get(name);
  assert.ok(operation);
  return operation;
}

function pending(params: Partial<Params['edit_file']> = {}, operation = row('edit_file')): PendingCall {
  const call = new PendingCall(operation, { name: 'a.txt', ...params }, {}, 60_000);
  made.push(call);
  return call;
}

const several = (count: number): PendingCall[] => Array.from({ length: count }, () => pending());

/** Queues whose groups run until the test ends them. */
class Scene {
  readonly sent: (readonly PendingCall[])[] = [];
  private resolve: (again: readonly PendingCall[]) => void = () => undefined;
  readonly queues = new FileQueues((_key, calls) => {
    this.sent.push(calls);
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  });

  add(calls: readonly PendingCall[], ...keys: readonly string[]): void {
    for (const call of calls) this.queues.add(keys.length === 0 ? ['a.txt'] : keys, call);
  }

  /** Ends the last group, except for the calls that must run again. */
  async end(again: readonly PendingCall[] = []): Promise<void> {
    for (const call of this.sent.at(-1) ?? []) {
      if (!again.includes(call)) call.settle(success);
      call.endIfSettled();
    }
    this.resolve(again);
    await tick();
  }

  get last(): readonly PendingCall[] | undefined {
    return this.sent.at(-1);
  }
}

describe('the writes of a file', () => {
  it('begin immediately if none is under way; later ones wait and go together, in order', async () => {
    const scene = new Scene();
    const [first, ...others] = several(5);
    assert.ok(first);
    scene.add([first]);
    assert.deepEqual(scene.sent, [[first]]);
    scene.add(others);
    assert.equal(scene.sent.length, 1);
    assert.deepEqual(
      [first, ...others].map((call) => call.inFileQueue),
      [false, true, true, true, true],
    );
    await scene.end();
    assert.deepEqual(scene.sent, [[first], others]);
    await scene.end();
    const next = pending();
    scene.add([next]);
    assert.deepEqual(scene.last, [next], 'nothing waits any more');
  });

  it('are known by the name that began the queue, as long as the queue exists', async () => {
    const scene = new Scene();
    scene.add([pending({ name: 'A.txt' })]);
    scene.add([pending({ name: 'link' })]);
    const known = (): boolean[] => ['A.txt', 'a.txt', 'link'].map((name) => scene.queues.has('a.txt', name));
    assert.deepEqual(known(), [true, false, false]);
    await scene.end();
    assert.deepEqual(known(), [true, false, false]);
    await scene.end();
    assert.deepEqual(known(), [false, false, false]);
  });

  it('do not wait for those of another file', () => {
    const scene = new Scene();
    scene.add(several(1));
    scene.add(several(1), 'b.txt');
    assert.equal(scene.sent.length, 2);
  });

  it('go again before all others if they were not begun, and together with them', async () => {
    const scene = new Scene();
    scene.add(several(1));
    const [done, ...left] = several(4);
    assert.ok(done);
    scene.add([done, ...left]);
    await scene.end();
    const later = several(2);
    scene.add(later);
    await scene.end(left);
    assert.deepEqual(scene.last, [...left, ...later]);
    assert.ok(left.every((call) => call.inFileQueue));
  });

  it('go again one by one, before all others, if their group could not be written', async () => {
    const scene = new Scene();
    scene.add(several(1));
    const group = several(2);
    scene.add(group);
    await scene.end();
    const later = several(2);
    scene.add(later);
    for (const call of group) call.markReturned({ ok: null });
    await scene.end(group);
    assert.deepEqual(scene.last, group.slice(0, 1));
    await scene.end();
    assert.deepEqual(scene.last, group.slice(1));
    await scene.end();
    assert.deepEqual(scene.last, later);
  });

  it('are not begun if they were answered while they waited', async () => {
    const scene = new Scene();
    scene.add(several(1));
    const group = several(3);
    scene.add(group);
    group[0]?.cancel(failure('timed_out', 'late'));
    group[2]?.cancel(failure('timed_out', 'late'));
    await scene.end();
    assert.deepEqual(scene.last, [group[1]]);
    await scene.end();
    await Promise.all(group.map((call) => call.ended));
  });

  it('leave the queue empty if all were answered while they waited', async () => {
    const scene = new Scene();
    scene.add(several(1));
    const group = several(2);
    scene.add(group);
    for (const call of group) call.cancel(failure('timed_out', 'late'));
    await scene.end();
    assert.equal(scene.sent.length, 1);
    await Promise.all(group.map((call) => call.ended));
    const next = pending();
    scene.add([next]);
    assert.deepEqual(scene.last, [next]);
  });

  it('go in another group if they use another name of the file or another operation', async () => {
    const other: Operation = { ...row('edit_file') };
    const scene = new Scene();
    const groups = [
      [pending()],
      [pending(), pending()],
      [pending({ name: 'link' }), pending({ name: 'link' })],
      [pending({}, other)],
      [pending()],
    ];
    scene.add(groups.flat());
    while (scene.sent.length < groups.length) await scene.end();
    assert.deepEqual(scene.sent, groups);
  });

  it('go one by one if their operation has no groups', async () => {
    const alone: Operation = { ...row('edit_file'), groups: false };
    const scene = new Scene();
    const calls = Array.from({ length: 3 }, () => pending({}, alone));
    scene.add(calls);
    while (scene.sent.length < calls.length) await scene.end();
    assert.deepEqual(
      scene.sent,
      calls.map((call) => [call]),
    );
  });

  it('go together if each does nothing but edit this file', async () => {
    const edits = [{ old_string: 'a', new_string: 'b' }];
    const [edit, other] = [
      { path: 'a.txt', edits },
      { path: 'b.txt', edits },
    ];
    const changes = (...changes: Params['apply_changes']['changes'][number][]): PendingCall => {
      const call = new PendingCall(row('apply_changes'), { changes }, {}, 60_000);
      made.push(call);
      return call;
    };
    const groups = [
      [changes(edit)],
      [changes(edit), changes(edit)],
      [changes(edit, other)],
      [changes({ ...edit, rename_to: 'b.txt' })],
      [changes({ path: 'a.txt', content: 'a' })],
      [changes({ glob: '**', edits })],
      [changes(edit), changes(edit)],
    ];
    const scene = new Scene();
    scene.add(groups.flat());
    while (scene.sent.length < groups.length) await scene.end();
    assert.deepEqual(scene.sent, groups);
  });

  it('form groups of at most 128, with at most a million characters, or one larger write', async () => {
    const scene = new Scene();
    scene.add(several(1));
    scene.add(several(130));
    const half = (): PendingCall =>
      pending({ append: 'x'.repeat(300_000), edits: [{ line: 1, operation: 'insert', content: 'x'.repeat(200_000) }] });
    scene.add([half(), half(), half(), pending({ append: 'x'.repeat(3_000_000) }), pending()]);
    for (let round = 0; round < 6; round++) await scene.end();
    assert.deepEqual(
      scene.sent.map((calls) => calls.length),
      [1, 128, 4, 1, 1, 1],
    );
  });
});

describe('a write of two files', () => {
  const rename = (): PendingCall => pending({}, { ...row('rename'), groups: false });

  /** Queues whose calls run until the test ends each of them. */
  class Several {
    readonly sent: PendingCall[] = [];
    private readonly ends = new Map<PendingCall, (again: readonly PendingCall[]) => void>();
    readonly queues = new FileQueues((_key, calls) => {
      const [call] = calls;
      assert.ok(call && calls.length === 1);
      this.sent.push(call);
      return new Promise((resolve) => this.ends.set(call, resolve));
    });

    async end(call: PendingCall, again: readonly PendingCall[] = []): Promise<void> {
      if (again.length === 0) call.settle(success);
      call.endIfSettled();
      this.ends.get(call)?.(again);
      await tick();
    }
  }

  it('waits for earlier writes of either file, and later ones wait for it', async () => {
    const scene = new Several();
    const [a, b, laterA, laterB] = several(4);
    const both = rename();
    assert.ok(a && b && laterA && laterB);
    scene.queues.add(['a'], a);
    scene.queues.add(['b'], b);
    scene.queues.add(['a', 'b'], both);
    scene.queues.add(['a'], laterA);
    scene.queues.add(['b'], laterB);
    assert.ok(both.inFileQueue);
    await scene.end(a);
    assert.deepEqual(scene.sent, [a, b]);
    await scene.end(b);
    assert.deepEqual(scene.sent, [a, b, both]);
    await scene.end(both);
    assert.deepEqual(scene.sent, [a, b, both, laterA, laterB]);
    await scene.end(laterA);
    await scene.end(laterB);
  });

  it('is counted once while it waits for both', async () => {
    const scene = new Several();
    const [a, b, laterB] = several(3);
    assert.ok(a && b && laterB);
    scene.queues.add(['a'], a);
    scene.queues.add(['b'], b);
    assert.equal(scene.queues.waiting, 0);
    const both = rename();
    scene.queues.add(['a', 'b'], both);
    assert.equal(scene.queues.waiting, 1);
    scene.queues.add(['b'], laterB);
    assert.equal(scene.queues.waiting, 2);
    await scene.end(a);
    assert.equal(scene.queues.waiting, 2, 'it still waits for the other one');
    for (const call of [b, both, laterB]) await scene.end(call);
    assert.equal(scene.queues.waiting, 0);
  });

  it('begins immediately if nothing is under way, and once', async () => {
    const scene = new Several();
    const both = rename();
    scene.queues.add(['a', 'b'], both);
    await tick();
    assert.deepEqual(scene.sent, [both]);
    await scene.end(both);
    assert.deepEqual(scene.sent, [both]);
  });

  it('does not deadlock with one in the opposite direction', async () => {
    const scene = new Several();
    const [there, back] = [rename(), rename()];
    scene.queues.add(['a', 'b'], there);
    scene.queues.add(['b', 'a'], back);
    await tick();
    assert.deepEqual(scene.sent, [there]);
    await scene.end(there);
    assert.deepEqual(scene.sent, [there, back]);
    await scene.end(back);
  });

  it('does not delay others once it was answered', async () => {
    const scene = new Several();
    const [a, laterB] = several(2);
    const both = rename();
    assert.ok(a && laterB);
    scene.queues.add(['a'], a);
    scene.queues.add(['a', 'b'], both);
    scene.queues.add(['b'], laterB);
    await tick();
    assert.deepEqual(scene.sent, [a]);
    both.cancel(failure('timed_out', 'late'));
    await tick();
    assert.deepEqual(scene.sent, [a, laterB]);
    await scene.end(a);
    await scene.end(laterB);
    assert.deepEqual(scene.sent, [a, laterB]);
    await both.ended;
  });

  it('goes again before all others if it was not begun', async () => {
    const scene = new Several();
    const [laterA] = several(1);
    const both = rename();
    assert.ok(laterA);
    scene.queues.add(['a', 'b'], both);
    scene.queues.add(['a'], laterA);
    await tick();
    await scene.end(both, [both]);
    assert.deepEqual(scene.sent, [both, both]);
    await scene.end(both);
    assert.deepEqual(scene.sent, [both, both, laterA]);
    await scene.end(laterA);
  });

  it('of a hundred files waits for each of them in turn, and lets other files go on', async () => {
    const scene = new Several();
    const keys = Array.from({ length: 100 }, (_, index) => `f${String(index)}`);
    const [first, last, other, laterFirst, laterLast] = several(5);
    assert.ok(first && last && other && laterFirst && laterLast);
    const all = pending({}, { ...row('apply_changes'), groups: false });
    scene.queues.add(['f0'], first);
    scene.queues.add(['f99'], last);
    scene.queues.add(keys, all);
    scene.queues.add(['f0'], laterFirst);
    scene.queues.add(['f99'], laterLast);
    scene.queues.add(['other'], other);
    await scene.end(first);
    assert.deepEqual(scene.sent, [first, last, other]);
    assert.equal(scene.queues.waiting, 3);
    await scene.end(last);
    assert.deepEqual(scene.sent.slice(3), [all]);
    await scene.end(all);
    assert.deepEqual(scene.sent.slice(4), [laterFirst, laterLast]);
    for (const call of [other, laterFirst, laterLast]) await scene.end(call);
    assert.equal(scene.queues.waiting, 0);
  });
});
