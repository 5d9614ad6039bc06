import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { killAgainAndAgain } from '../../reliability/kill-scene.js';
import { seeded } from '../../reliability/random.js';

const kills = 50;

describe('a server that is killed repeatedly', { timeout: 600_000 }, () => {
  it(`keeps its promises through ${String(kills)} kills at random moments`, async (test) => {
    const { acknowledged, leftovers, readyMs } = await killAgainAndAgain(kills, seeded(test));
    assert.ok(leftovers > 0, 'some of the kills came in the middle of a write');
    test.diagnostic(
      `${String(acknowledged)} appends, ${String(leftovers)} temporary files left by kills, ` +
        `ready after ${String(readyMs)} ms at most`,
    );
  });
});
