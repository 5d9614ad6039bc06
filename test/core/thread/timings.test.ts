import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addTiming,
  countTimingsIn,
  timing,
  timingBounds,
  timingBytes,
  timingsIn,
} from '../../../src/core/thread/timings.js';

describe('counters of threads in shared memory', () => {
  it('are zero as long as there are none', () => {
    addTiming('lock_wait', 5);
    assert.equal(
      timing('file_sync', () => 'done'),
      'done',
    );
  });

  it('are read per kind, with the sum, failures included', () => {
    const memory = new SharedArrayBuffer(timingBytes);
    countTimingsIn(memory);
    for (const ms of [0.01, 0.05, 0.0501, 60_000]) addTiming('lock_wait', ms);
    assert.throws(() =>
      timing('file_sync', () => {
        throw new Error('EIO');
      }),
    );
    const { counts, sum } = timingsIn(memory, 'lock_wait');
    assert.equal(counts.length, timingBounds.length + 1);
    assert.deepEqual([counts[0], counts[1], counts.at(-1)], [2, 1, 1]);
    assert.ok(Math.abs(sum - 60_000.11) < 0.01);
    const all = (what: Parameters<typeof timingsIn>[1]): number =>
      timingsIn(memory, what).counts.reduce((a, b) => a + b, 0);
    assert.deepEqual([all('lock_wait'), all('file_sync'), all('directory_sync')], [4, 1, 0]);
  });
});
