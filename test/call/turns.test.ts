import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Turns } from '../../src/call/turns.js';

/** Milliseconds on the clock of these tests: only work takes time, however busy the machine is. */
let clock = 0;
const now = (): number => clock;

function work(ms: number): void {
  clock += ms;
}

describe('work in turns', () => {
  it('runs inline while others have not waited for it', () => {
    assert.equal(
      new Turns(now).run(() => 7),
      7,
    );
  });

  it('yields to others every few milliseconds, and runs in order', async () => {
    const turns = new Turns(now);
    const done: number[] = [];
    const results = Array.from({ length: 50 }, (_, index) =>
      turns.run(() => {
        work(3);
        done.push(index);
        return index;
      }),
    );
    const made: number[] = [];
    for (let before = 0; before < 50; before = done.length) {
      await new Promise(setImmediate);
      made.push(done.length - before);
    }
    // Two take longer than a turn; others may have a turn before and after each of this test.
    assert.ok(Math.max(...made) <= 4, made.join(' '));
    const inOrder = Array.from({ length: 50 }, (_, index) => index);
    assert.deepEqual(done, inOrder);
    assert.deepEqual(await Promise.all(results.map((result) => Promise.resolve(result))), inOrder);
  });

  it('is counted together with its result', async () => {
    const turns = new Turns(now);
    let done = 0;
    const results = Array.from({ length: 20 }, async () => {
      await turns.run(() => undefined);
      work(6);
      done++;
    });
    const made: number[] = [];
    for (let before = 0; before < 20; before = done) {
      await new Promise(setImmediate);
      made.push(done - before);
    }
    // All of the first turn begin before any is awaited.
    assert.ok(Math.max(...made.slice(1)) <= 4, made.join(' '));
    await Promise.all(results);
  });

  it('fails alone', async () => {
    const turns = new Turns(now);
    assert.equal(
      turns.run(() => work(6)),
      undefined,
    );
    const [failed, made] = [
      turns.run(() => {
        throw new Error('no');
      }),
      turns.run(() => 1),
    ];
    await assert.rejects(Promise.resolve(failed), /no/);
    assert.equal(await made, 1);
  });

  it('may begin again after a pause', async () => {
    const turns = new Turns(now);
    for (let round = 0; round < 3; round++) {
      assert.equal(
        turns.run(() => {
          work(6);
          return round;
        }),
        round,
      );
      await new Promise(setImmediate);
      await new Promise(setImmediate);
    }
  });
});
