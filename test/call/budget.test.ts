import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from '../fast-check.js';
import { Budget, type Held, type Queued } from '../../src/call/budget.js';
import { bytesPerMb, mostHeld } from '../../src/core/memory/held.js';

const queues: readonly Queued[] = ['small', 'large', 'body'];

describe('the memory budget', () => {
  it('is 256 MB, or four times the limit of a request', () => {
    assert.equal(mostHeld(10 * bytesPerMb), 256 * bytesPerMb);
    assert.equal(mostHeld(100 * bytesPerMb), 400 * bytesPerMb);
  });

  it('admits any number of calls that end as soon as they begin', () => {
    for (const as of queues) {
      const budget = new Budget(100, 0);
      assert.ok(budget.begin(as, 100));
      const count = 20_000;
      let ended = 0;
      for (let i = 0; i < count; i++) {
        budget.wait(as, 100, () => {
          ended++;
          budget.release(as, 100);
        });
      }
      budget.release(as, 100);
      assert.equal(ended, count);
    }
  });

  it('serves each queue in order of arrival: no call overtakes the first, however small', () => {
    for (const as of queues) {
      const budget = new Budget(100, 0);
      const woken: string[] = [];
      const wait = (name: string, bytes: number): (() => void) => budget.wait(as, bytes, () => woken.push(name));
      assert.ok(budget.begin(as, 100));
      wait('a', 50);
      const leave = wait('b', 50);
      wait('c', 60);
      wait('d', 10);
      assert.ok(budget.pressed);
      leave();
      leave();
      budget.release(as, 100);
      assert.deepEqual(woken, ['a']);
      assert.equal(budget.begin(as, 1), false, 'somebody was before');
      budget.release(as, 50);
      assert.deepEqual(woken, ['a', 'c', 'd']);
      assert.equal(budget.pressed, false);
    }
  });

  it('lets others pass a call that has left', () => {
    const budget = new Budget(100, 0);
    const woken: string[] = [];
    budget.begin('body', 90);
    const leave = budget.wait('body', 90, () => woken.push('large'));
    budget.wait('body', 10, () => woken.push('small'));
    leave();
    assert.deepEqual(woken, ['small']);
  });

  it('admits all calls, later ones included, when the server ends', () => {
    for (const as of queues) {
      const budget = new Budget(100, 0);
      const woken: string[] = [];
      budget.begin(as, 100);
      budget.wait(as, 90, () => woken.push('a'));
      budget.wait(as, 90, () => woken.push('b'));
      budget.close();
      assert.deepEqual(woken, ['a', 'b']);
      assert.ok(budget.begin(as, 90));
    }
  });

  it('reserves memory for small calls and answers while large answers are unread', () => {
    const budget = new Budget(12_800);
    for (let held = 0; held < 11_200; held += 1_120) budget.hold(budget.sizeOf(1_120), 1_120);
    for (const as of ['large', 'body'] as const) {
      assert.equal(budget.begin(as, 1_120), false);
      budget.wait(as, 1_120, () => assert.fail('there is no room'));
    }
    for (let count = 0; count < 160; count++) assert.ok(budget.begin(budget.sizeOf(10), 10));
    assert.equal(budget.begin('small', 10), false, 'it would go beyond the limit');
  });

  it('does not let unread small answers starve anything else', () => {
    const budget = new Budget(12_800);
    for (let held = 0; held < 12_800; held += 10) assert.ok(budget.begin('small', 10));
    budget.hold('large', 1_000);
    const woken: string[] = [];
    budget.wait('large', 3_000, () => woken.push('large'));
    const isWaiting = (): boolean => woken.length === 0;
    for (let ended = 0; isWaiting(); ended++) {
      assert.ok(ended < 1280);
      budget.release('small', 10);
      if (isWaiting()) assert.equal(budget.begin('small', 10), false, 'no small one comes in its place');
    }
  });

  it('counts an ended call until the end of the turn, when its answer is counted', async () => {
    const budget = new Budget(100, 0);
    assert.ok(budget.begin('large', 80));
    let begun = false;
    budget.endCall('large', 80);
    budget.wait('large', 80, () => (begun = true));
    await Promise.resolve();
    budget.hold('large', 30);
    await setImmediate();
    assert.equal(begun, false);
    budget.release('large', 30);
    assert.equal(begun, true);
  });

  it('delays large calls to the next turn after slow large answers, but does not rush clients', async () => {
    const budget = new Budget(100, 0);
    budget.spendTime(5);
    assert.ok(budget.begin('large', 1));
    budget.spendTime(5);
    assert.equal(budget.begin('large', 1), false);
    assert.ok(budget.begin('small', 1));
    const woken: string[] = [];
    budget.wait('large', 1, () => {
      woken.push('first');
      budget.spendTime(10);
    });
    budget.wait('large', 1, () => woken.push('second'));
    assert.equal(budget.pressed, false);
    assert.deepEqual(woken, []);
    await setImmediate();
    assert.deepEqual(woken, ['first']);
    await setImmediate();
    assert.deepEqual(woken, ['first', 'second']);
  });

  it('is exceeded by at most one call of each queue, keeps the order, and starves none', () => {
    const limit = 12_800;
    const reserve = limit / 8;
    const step = fc.record({
      as: fc.constantFrom<Held>('small', 'large', 'body', 'other'),
      bytes: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 15_000 })),
      what: fc.constantFrom('begin', 'begin', 'end', 'leave'),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const budget = new Budget(limit);
        const running: { as: Held; bytes: number }[] = [];
        const waiting: { as: Queued; leave: () => void }[] = [];
        const sum = (...kinds: readonly Held[]): number =>
          running.filter(({ as }) => kinds.includes(as)).reduce((bytes, each) => bytes + each.bytes, 0);
        const begun = (as: Queued, bytes: number): void => {
          const most = as === 'small' ? limit : limit - reserve;
          const alone = as === 'body' ? sum('large', 'body') === 0 : sum(as) === 0;
          assert.ok(alone || sum('small', 'large', 'body', 'other') + bytes <= most);
          running.push({ as, bytes });
        };
        for (const { as, bytes, what, which } of steps) {
          if (what === 'begin' && as === 'other') {
            running.push({ as, bytes });
            budget.hold(as, bytes);
          } else if (what === 'begin' && as !== 'other') {
            if (budget.begin(as, bytes)) {
              assert.ok(!waiting.some((each) => each.as === as), 'somebody was before');
              begun(as, bytes);
            } else {
              const waiter = { as, leave: (): void => undefined };
              waiting.push(waiter);
              waiter.leave = budget.wait(as, bytes, () => {
                assert.equal(
                  waiting.find((each) => each.as === as),
                  waiter,
                  'somebody was before',
                );
                waiting.splice(waiting.indexOf(waiter), 1);
                begun(as, bytes);
              });
            }
          } else if (what === 'end') {
            const [ended] = running.splice(which % Math.max(running.length, 1), 1);
            if (ended !== undefined) budget.release(ended.as, ended.bytes);
          } else {
            const [left] = waiting.splice(which % Math.max(waiting.length, 1), 1);
            left?.leave();
          }
        }
        // Memory that was taken without waiting stays: its holder may be waiting itself.
        for (;;) {
          const index = running.findIndex(({ as }) => as !== 'other');
          const [ended] = running.splice(index, index === -1 ? 0 : 1);
          if (ended === undefined) break;
          budget.release(ended.as, ended.bytes);
        }
        assert.equal(waiting.length, 0);
        assert.equal(budget.pressed, false);
      }),
      { numRuns: 3000 },
    );
  });
});
