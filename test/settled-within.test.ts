import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settledWithin } from '../src/settled-within.js';

const longMs = 2 ** 31 - 1;

describe('waiting for a promise with a time limit', () => {
  it('ends when the promise settles either way, and leaves no timer that keeps the process alive', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    const before = timers();
    assert.equal(await settledWithin(Promise.resolve(), longMs), true);
    assert.equal(await settledWithin(Promise.reject(new Error('why')), longMs), true);
    assert.equal(timers(), before);
  });

  it('ends when the time is up', async () => {
    assert.equal(await settledWithin(new Promise(() => undefined), 1), false);
  });
});
