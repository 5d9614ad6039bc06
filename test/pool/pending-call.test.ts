import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failure } from '../../src/core/errors.js';
import { operations, type Operation } from '../../src/core/operations.js';
import { PendingCall } from '../../src/pool/pending-call.js';
import { Progress } from '../../workers/progress.js';
import { Phase } from '../../src/core/thread/task.js';

function row(name: string): Operation {
  const operation = operations.get(name);
  assert.ok(operation);
  return operation;
}

const pending = (name = 'edit_file', timeoutMs = 60_000, signal?: AbortSignal): PendingCall =>
  new PendingCall(row(name), { name: 'a.txt' }, { ...(signal === undefined ? {} : { signal }) }, timeoutMs);

const success = { ok: true, result: {} } as const;

describe('a call that waits for its answer', () => {
  it('is answered once', async () => {
    const call = pending();
    call.settle(success);
    assert.equal(call.cancel(failure('shutting_down', 'Server is shutting down')), true);
    assert.deepEqual(await call.answer, success);
  });

  for (const phase of [Phase.queued, Phase.waiting, Phase.running]) {
    it(`can be cancelled at phase ${String(phase)}, and then its worker must not continue`, async () => {
      const call = pending();
      const phases = new Int32Array(new SharedArrayBuffer(8));
      call.markSent(phases, 1);
      const progress = new Progress(phases, 1);
      if (phase !== Phase.queued) assert.equal(progress.advance(phase), true);
      assert.equal(call.cancel(failure('shutting_down', 'Server is shutting down')), true);
      assert.equal(progress.cancelled, true);
      assert.equal(progress.advance(Phase.claimed), false);
      const outcome = await call.answer;
      assert.equal(outcome.ok ? 'ok' : outcome.kind, 'shutting_down');
    });
  }

  it('cannot be cancelled once its commit is claimed: the answer is the outcome of the commit', async () => {
    const call = pending();
    const phases = new Int32Array(new SharedArrayBuffer(4));
    call.markSent(phases, 0);
    assert.equal(new Progress(phases, 0).advance(Phase.claimed), true);
    assert.equal(call.cancel(failure('timed_out', 'late')), false);
    assert.equal(call.settled, false);
    call.settle(success);
    assert.deepEqual(await call.answer, success);
  });

  it('is answered soon after its claim was abandoned, if its time ran out during the claim', async () => {
    const call = pending();
    const phases = new Int32Array(new SharedArrayBuffer(4));
    call.markSent(phases, 0);
    const progress = new Progress(phases, 0);
    assert.equal(progress.advance(Phase.claimed), true);
    assert.equal(call.cancel(failure('timed_out', 'late')), false);
    assert.equal(progress.advance(Phase.waiting), true);
    const outcome = await call.answer;
    assert.equal(outcome.ok ? 'ok' : outcome.kind, 'timed_out');
    assert.equal(progress.advance(Phase.claimed), false);
  });

  it('runs again alone if its group was not written; its notices are reported at the end', async () => {
    const call = pending();
    call.markSent(new Int32Array(new SharedArrayBuffer(4)), 0);
    call.markReturned({ ok: null, notices: [{ message: 'first' }] });
    assert.deepEqual([call.settled, call.alone], [false, true]);
    assert.equal(call.endIfSettled(), false);
    call.markReturned({ ...success, notices: [{ message: 'second' }] });
    assert.deepEqual(await call.answer, { ...success, notices: [{ message: 'first' }, { message: 'second' }] });
    assert.equal(call.endIfSettled(), true);
    await call.ended;
  });

  it('runs again with others if its worker did not begin it', () => {
    const call = pending();
    call.markReturned(undefined);
    assert.deepEqual([call.settled, call.alone], [false, false]);
    call.settle(success);
  });

  it('is answered as cancelled if it was cancelled under a claim that is abandoned', async () => {
    const call = pending();
    const phases = new Int32Array(new SharedArrayBuffer(4));
    call.markSent(phases, 0);
    new Progress(phases, 0).advance(Phase.claimed);
    assert.equal(call.cancel(failure('timed_out', 'late')), false);
    call.markReturned({ ok: null });
    const outcome = await call.answer;
    assert.equal(outcome.ok ? 'ok' : outcome.kind, 'timed_out');
  });

  it('is cancelled by its signal, even one that was already aborted', async () => {
    const controller = new AbortController();
    const calls = [pending('read_file', 60_000, controller.signal)];
    controller.abort();
    calls.push(pending('read_file', 60_000, controller.signal));
    for (const call of calls) {
      const outcome = await call.answer;
      assert.equal(outcome.ok ? 'ok' : outcome.kind, 'cancelled');
    }
  });
});

describe('a call whose time is up', () => {
  it('blames the program that overtook it, if it has begun again since then', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const call = pending('edit_file', 10_000);
    const phases = new Int32Array(new SharedArrayBuffer(4));
    call.markSent(phases, 0);
    const progress = new Progress(phases, 0);
    progress.overtake();
    progress.enter(Phase.running);
    test.mock.timers.tick(10_000);
    const outcome = await call.answer;
    assert.deepEqual(outcome.ok ? [] : [outcome.kind, outcome.message], [
      'modified_concurrently',
      "File 'a.txt' was modified concurrently",
    ]);
    assert.equal(progress.advance(Phase.claimed), false);
  });

  it('blames the file if it waited in the queue of its file', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const call = pending('edit_file', 10_000);
    call.inFileQueue = true;
    test.mock.timers.tick(10_000);
    const outcome = await call.answer;
    assert.deepEqual(outcome.ok ? [] : [outcome.kind, outcome.message], [
      'lock_timeout',
      'Failed to acquire file lock within timeout',
    ]);
  });

  it('does so if it had just left that queue', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const call = pending('edit_file', 10_000);
    call.inFileQueue = true;
    call.markSent(new Int32Array(new SharedArrayBuffer(4)), 0);
    test.mock.timers.tick(10_000);
    const outcome = await call.answer;
    assert.equal(outcome.ok ? 'ok' : outcome.kind, 'lock_timeout');
  });

  it('does so if its worker waited for the lock', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const call = pending('edit_file', 10_000);
    const phases = new Int32Array(new SharedArrayBuffer(4));
    call.markSent(phases, 0);
    new Progress(phases, 0).advance(Phase.waiting);
    test.mock.timers.tick(10_000);
    const outcome = await call.answer;
    assert.equal(outcome.ok ? 'ok' : outcome.kind, 'lock_timeout');
  });

  it('waits for a file for at most 30 seconds, however long the operation may take', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const call = pending('edit_file', 300_000);
    call.inFileQueue = true;
    test.mock.timers.tick(29_999);
    assert.equal(call.settled, false);
    test.mock.timers.tick(1);
    const outcome = await call.answer;
    assert.equal(outcome.ok ? 'ok' : outcome.kind, 'lock_timeout');
  });

  it('has the whole time for everything else', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const call = pending('edit_file', 45_000);
    test.mock.timers.tick(30_000);
    test.mock.timers.tick(14_999);
    assert.equal(call.settled, false);
    test.mock.timers.tick(1);
    const outcome = await call.answer;
    assert.deepEqual(outcome.ok ? [] : [outcome.kind, outcome.message], ['timed_out', 'Operation timed out after 45s']);
  });
});
