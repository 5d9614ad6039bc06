import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { rows } from '../../src/core/operations.js';
import { FileQueues } from '../../src/pool/queues.js';
import { NoThread, slotsPerThread } from '../../src/pool/thread.js';
import { PendingCall } from '../../src/pool/pending-call.js';
import { Shard } from '../../src/pool/shard.js';

/** Members of a thread that these tests do not use. */
const idle = {
  sweep: () => Promise.reject(new Error('nobody asked for it')),
  readBody: () => Promise.reject(new Error('nobody asked for it')),
  destroy: () => Promise.resolve(),
  gone: () => Promise.resolve(),
};

describe('a call that waits until the thread has room', () => {
  it('is not begun if it was answered in the queue: its time was up, and it could no longer be cancelled', async () => {
    const tasks: (readonly unknown[])[] = [];
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const shard = new Shard(
      () =>
        Promise.resolve({
          async run(task) {
            const { calls } = task;
            tasks.push(calls);
            await ended;
            return { outcomes: calls.map(() => ({ ok: true, result: {} })), memory: null };
          },
          ...idle,
        }),
      { sent: () => undefined, noted: () => undefined },
    );
    const operation = rows.edit_file;
    const edit = (signal?: AbortSignal): PendingCall => {
      const context = { ...(signal === undefined ? {} : { signal }) };
      return new PendingCall(operation, { name: 'a.txt' }, context, 60_000);
    };
    const full = shard.run(Array.from({ length: slotsPerThread }, () => edit()));
    const abort = new AbortController();
    const [late, other] = [edit(abort.signal), edit()];
    const waiting = shard.run([late, other]);
    abort.abort();
    end();
    assert.deepEqual(await full, []);
    assert.deepEqual(await waiting, []);
    assert.deepEqual(
      tasks.map((calls) => calls.length),
      [slotsPerThread, 1],
    );
    const outcome = await late.answer;
    assert.equal(outcome.ok ? 'ok' : outcome.kind, 'cancelled');
    await late.ended;
    assert.equal((await other.answer).ok, true);
    await shard.close();
  });
});

describe('the channel to a thread that could not be started for a sweep', () => {
  it('is closed, and the next call takes another', async () => {
    const events: string[] = [];
    const shard = new Shard(
      () => {
        events.push('started');
        return Promise.resolve({
          run: () => Promise.reject(new Error('nobody asked for it')),
          ...idle,
          sweep: () => Promise.reject(new NoThread(new Error('EAGAIN'))),
          destroy() {
            events.push('ended');
            return Promise.resolve();
          },
        });
      },
      { sent: () => undefined, noted: () => undefined },
    );
    for (let time = 0; time < 2; time++) {
      await assert.rejects(shard.sweep(), NoThread);
      await setImmediate();
    }
    assert.deepEqual(events, ['started', 'ended', 'started', 'ended']);
    await shard.close();
  });
});

describe('calls whose thread died before it began them', () => {
  it('run again one by one, so a call that kills threads fails alone', async () => {
    const sizes: number[] = [];
    const shard = new Shard(
      () =>
        Promise.resolve({
          run({ calls }) {
            sizes.push(calls.length);
            if (calls.length > 1) return Promise.reject(new Error('died'));
            return Promise.resolve({ outcomes: calls.map(() => ({ ok: true, result: {} })), memory: null });
          },
          ...idle,
        }),
      { sent: () => undefined, noted: () => undefined },
    );
    const operation = rows.edit_file;
    const queues = new FileQueues((_, calls) => shard.run(calls));
    const edits = Array.from({ length: 4 }, () => new PendingCall(operation, { name: 'a.txt' }, {}, 60_000));
    for (const edit of edits) queues.add(['a.txt'], edit);
    const outcomes = await Promise.all(edits.map(({ answer }) => answer));
    assert.ok(outcomes.every(({ ok }) => ok));
    assert.deepEqual(sizes, [1, 3, 1, 1, 1]);
    await shard.close();
  });
});

describe('a body that a thread parses', () => {
  it('is answered with shutdown if its thread is ended first', async () => {
    let end = (): void => undefined;
    const shard = new Shard(
      () =>
        Promise.resolve({
          run: () => Promise.reject(new Error('nobody asked for it')),
          ...idle,
          readBody: () =>
            new Promise((_, reject) => {
              end = () => {
                reject(new Error('Terminating worker thread'));
              };
            }),
          destroy() {
            end();
            return Promise.resolve();
          },
        }),
      { sent: () => undefined, noted: () => undefined },
    );
    const bytes = new Uint8Array(new SharedArrayBuffer(1));
    const reading = shard.readBody({ bytes, largeTexts: new Set(), begun: new SharedArrayBuffer(4) });
    await shard.close();
    const read = await reading;
    assert.equal(read?.ok === false && read.kind, 'shutting_down');
  });
});
