import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failure } from '../../src/core/errors.js';
import { rows } from '../../src/core/operations.js';
import { Gate } from '../../src/pool/queues.js';
import { PendingCall } from '../../src/pool/pending-call.js';
import { Phase } from '../../src/core/thread/task.js';

function pending(): PendingCall {
  const operation = rows.list_files;
  return new PendingCall(operation, {}, {}, 60_000);
}

/** A gate that records what it starts. */
function gate(maxConcurrent: number, maxQueue: number): { gate: Gate; started: PendingCall[] } {
  const started: PendingCall[] = [];
  return { gate: new Gate(maxConcurrent, maxQueue, (call) => started.push(call)), started };
}

describe('--max-concurrent and --max-queue', () => {
  it('starts as many calls as allowed, queues as many as allowed, and is then full', () => {
    const { gate: doors, started } = gate(2, 1);
    const calls = [pending(), pending(), pending()];
    for (const call of calls) {
      assert.equal(doors.full, false);
      doors.enter(call);
    }
    assert.equal(doors.full, true);
    assert.deepEqual(started, calls.slice(0, 2));
    for (const call of calls) call.settle({ ok: true, result: {} });
  });

  it('starts queued calls in order, each when another has ended', () => {
    const { gate: doors, started } = gate(1, 10);
    const calls = [pending(), pending(), pending()];
    for (const call of calls) doors.enter(call);
    doors.leave();
    assert.deepEqual(started, calls.slice(0, 2));
    doors.leave();
    assert.deepEqual(started, calls);
    doors.leave();
    for (const call of calls) call.settle({ ok: true, result: {} });
  });

  it('is not kept full by a call that was answered in the queue and has ended', async () => {
    const { gate: doors } = gate(1, 1);
    const [running, waiting] = [pending(), pending()];
    doors.enter(running);
    doors.enter(waiting);
    assert.equal(doors.full, true);
    waiting.cancel(failure('timed_out', 'late'));
    await waiting.answer;
    assert.equal(doors.full, false);
    await waiting.ended;
    running.settle({ ok: true, result: {} });
  });

  it('refuses immediately without a queue', () => {
    const { gate: doors } = gate(1, 0);
    const call = pending();
    doors.enter(call);
    assert.equal(doors.full, true);
    call.settle({ ok: true, result: {} });
  });
});

describe('a call that is answered before it has ended', () => {
  const isIdleAt = (phase: Phase): boolean => {
    const call = pending();
    const phases = new Int32Array(new SharedArrayBuffer(4));
    call.markSent(phases, 0);
    Atomics.store(phases, 0, phase);
    let times = 0;
    call.whenIdle(() => times++);
    call.cancel(failure('timed_out', 'late'));
    const before = times === 1;
    call.endIfSettled();
    assert.equal(times, 1);
    return before;
  };

  it('frees its place immediately if it only waited, otherwise when it has ended', async () => {
    assert.equal(isIdleAt(Phase.queued), true);
    assert.equal(isIdleAt(Phase.waiting), true);
    assert.equal(isIdleAt(Phase.running), false);
  });
});
