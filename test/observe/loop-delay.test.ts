import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LoopDelay } from '../../src/observe/loop-delay.js';

function count({ seconds: { counts } }: LoopDelay): number {
  return counts.reduce((sum, each) => sum + each, 0);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls until more samples were counted. */
async function goesOn(delay: LoopDelay): Promise<void> {
  const before = count(delay);
  for (let asked = 0; count(delay) < before + 2; asked++) {
    assert.ok(asked < 3000, 'nothing is measured');
    delay.touch();
    await pause(10);
  }
}

/** Resolves once no sample was counted in the time that ten would have taken. */
async function stops(delay: LoopDelay): Promise<void> {
  let before = -1;
  for (let waited = 0; count(delay) !== before; waited++) {
    assert.ok(waited < 60, 'it is measured for nobody');
    before = count(delay);
    await pause(500);
  }
}

describe('the delay of the event loop', { concurrency: true }, () => {
  it('is measured only on demand', async () => {
    const delay = new LoopDelay(200);
    await stops(delay);
    assert.equal(count(delay), 0);
    await goesOn(delay);
    await stops(delay);
    await goesOn(delay);
  });

  it('is the lateness of a timer', async () => {
    const delay = new LoopDelay();
    delay.touch();
    const until = performance.now() + 300;
    while (performance.now() < until);
    await goesOn(delay);
    assert.ok(delay.seconds.sum >= 0.2, String(delay.seconds.sum));
  });
});
