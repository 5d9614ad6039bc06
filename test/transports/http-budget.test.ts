import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { mostHeld } from '../../src/memory/held.js';
import { Body } from '../../src/transports/http-body.js';
import { Budget, type Purpose } from '../../src/transports/http-budget.js';
import { Holding } from '../../src/transports/holding.js';
import { mb } from './http-harness.js';

/** Bytes that are free, as an observer can tell. */
function isEmpty(budget: Budget, limit: number): boolean {
  // Two that need all of it together fit exactly if nothing else is held.
  const half = limit / 2;
  const both = budget.begin('read', half) && budget.begin('read', half) && !budget.begin('read', half);
  if (both) {
    budget.end('read', half);
    budget.end('read', half);
  }
  return both;
}

describe('the memory budget', () => {
  it('is 256 MB, or four times the limit of a request', () => {
    assert.equal(mostHeld(10 * mb), 256 * mb);
    assert.equal(mostHeld(100 * mb), 400 * mb);
  });

  it('lets any number go on that end as soon as they begin', () => {
    const budget = new Budget(100, 0);
    assert.ok(budget.begin('read', 100));
    let ended = 0;
    const count = 20_000;
    for (let i = 0; i < count; i++) {
      budget.wait('read', 100, () => {
        ended++;
        budget.end('read', 100);
      });
    }
    budget.end('read', 100);
    assert.equal(ended, count);
    assert.ok(isEmpty(budget, 100));
  });

  it('begins what fits', () => {
    const budget = new Budget(100, 0);
    budget.hold(30);
    budget.holdAnswer(10);
    assert.equal(budget.begin('read', 61), false);
    assert.equal(budget.begin('read', 20), true);
    assert.equal(budget.begin('body', 40), true);
    assert.equal(budget.begin('body', 1), false);
  });

  it('begins what does not fit if nothing is going on that could make room', () => {
    const held = new Budget(100, 0);
    held.hold(1000);
    assert.equal(held.begin('body', 60), true);
    assert.equal(held.begin('body', 1), false, 'the first body will end');
    assert.equal(held.begin('read', 60), true, 'the body may have to wait for a call');
    assert.equal(held.begin('read', 1), false, 'the first call will end');
    const answered = new Budget(100, 0);
    answered.holdAnswer(1000);
    assert.equal(answered.begin('body', 1), false, 'the answer will be taken');
    assert.equal(answered.begin('read', 1), false, 'the answer will be taken');
  });

  it('wakes those who wait when there is room, in order of arrival but for reads that fit before others do', () => {
    for (const [purpose, first, then] of [
      ['read', ['a', 'd'], ['c']],
      ['write', ['a'], ['c', 'd']],
      ['body', ['a'], ['c', 'd']],
    ] as const) {
      const budget = new Budget(100, 0);
      const woken: string[] = [];
      const wait = (name: string, bytes: number): (() => void) => budget.wait(purpose, bytes, () => woken.push(name));
      assert.equal(budget.begin(purpose, 100), true);
      wait('a', 50);
      const leave = wait('b', 50);
      wait('c', 60);
      wait('d', 10);
      assert.equal(budget.pressed, true);
      leave();
      budget.end(purpose, 100);
      assert.deepEqual(woken, first);
      assert.equal(budget.begin(purpose, 1), purpose === 'read', 'somebody was before');
      if (purpose === 'read') budget.end('read', 1);
      budget.end(purpose, 50);
      assert.deepEqual(woken, [...first, ...then]);
      assert.equal(budget.pressed, false);
    }
  });

  it('lets nobody pass a read for ever', () => {
    const budget = new Budget(100, 0);
    const woken: string[] = [];
    assert.equal(budget.begin('read', 50), true);
    budget.wait('read', 90, () => woken.push('large'));
    let passed = 0;
    for (; budget.begin('read', 10); passed++) {
      assert.ok(passed < 1000, 'it is still waiting');
      budget.end('read', 10);
    }
    budget.wait('read', 10, () => woken.push('later'));
    assert.deepEqual(woken, []);
    budget.end('read', 50);
    assert.deepEqual(woken, ['large', 'later']);
  });

  it('leaves room to small answers and to writes when large ones are not taken', () => {
    const budget = new Budget(12_800);
    for (let taken = 0; taken < 11_200; taken += 1_120) budget.holdAnswer(1_120);
    assert.equal(budget.begin('read', 1_120), false, 'it would need what is left to small ones');
    assert.equal(budget.begin('body', 1_120), false, 'likewise');
    budget.wait('read', 1_120, () => assert.fail('there is no room'));
    budget.wait('body', 1_120, () => assert.fail('there is no room'));
    for (let index = 0; index < 160; index++) assert.equal(budget.begin(index % 2 === 0 ? 'read' : 'write', 10), true);
    assert.equal(budget.begin('read', 10), false, 'it would go beyond the limit');
  });

  it('lets small answers that are not taken keep nothing else out for ever', () => {
    const budget = new Budget(12_800);
    for (let held = 0; held < 12_800; held += 10) assert.equal(budget.begin('read', 10), true);
    const woken: string[] = [];
    budget.wait('read', 3_000, () => woken.push('large'));
    const isWaiting = (): boolean => woken.length === 0;
    for (let ended = 0; isWaiting(); ended++) {
      assert.ok(ended < 1280);
      budget.end('read', 10);
      if (isWaiting()) assert.equal(budget.begin('read', 10), false, 'no small one comes in its place');
    }
  });

  it('lets a call that needs more wait for that with nothing in its hands', async () => {
    const budget = new Budget(100, 0);
    const calls = Array.from({ length: 10 }, () => new Holding(budget, 'read', 10));
    for (const { bytes } of calls) assert.equal(budget.begin('read', bytes), true);
    const enlarged: number[] = [];
    const waiting = calls.map(async (call, index) => {
      assert.equal((await call.enlarge(60)).bytes, 60);
      enlarged.push(index);
    });
    for (const [index, call] of calls.entries()) {
      await waiting[index];
      assert.deepEqual(enlarged, [...calls.keys()].slice(0, index + 1), 'one after the other');
      call.end();
    }
    assert.equal(isEmpty(budget, 100), true);
  });

  it('lets a write that needs more wait with the reads, so that no other write waits behind it', async () => {
    const budget = new Budget(100, 0);
    const untaken = 80;
    budget.holdAnswer(untaken);
    const write = new Holding(budget, 'write', 1);
    assert.equal(budget.begin('write', 1), true);
    const enlarged = write.enlarge(50);
    assert.equal(budget.begin('write', 1), true, 'another one');
    budget.end('write', 1);
    budget.releaseAnswer(untaken);
    (await enlarged).end();
    assert.equal(isEmpty(budget, 100), true);
  });

  it('takes nothing back from a call that ends while it waits for more', () => {
    const budget = new Budget(100, 0);
    const untaken = 80;
    budget.holdAnswer(untaken);
    const write = new Holding(budget, 'write', 1);
    assert.equal(budget.begin('write', 1), true);
    let begun = false;
    budget.wait('read', 50, () => (begun = true));
    void write.enlarge(50);
    write.end();
    assert.equal(begun, false, 'there is no more room than before');
    budget.releaseAnswer(untaken);
    assert.equal(begun, true);
    budget.end('read', 50);
    assert.equal(isEmpty(budget, 100), true);
  });

  it('takes all of it back from a call that ends when it has just been given more', () => {
    const budget = new Budget(100, 0);
    const untaken = 80;
    budget.holdAnswer(untaken);
    const write = new Holding(budget, 'write', 1);
    assert.equal(budget.begin('write', 1), true);
    void write.enlarge(50);
    budget.releaseAnswer(untaken);
    assert.equal(budget.begin('read', 60), false, 'it has begun');
    write.end();
    assert.equal(isEmpty(budget, 100), true);
  });

  it('lets reads wait for the next turn after some time has been spent on large answers, but presses nobody', async () => {
    const budget = new Budget(100, 0);
    budget.spendTime(5);
    assert.ok(budget.begin('read', 1));
    budget.spendTime(5);
    assert.equal(budget.begin('read', 1), false);
    const woken: string[] = [];
    budget.wait('read', 1, () => {
      woken.push('first');
      budget.spendTime(10);
    });
    budget.wait('read', 1, () => woken.push('second'));
    assert.equal(budget.pressed, false);
    assert.ok(budget.begin('write', 1));
    budget.end('write', 1);
    assert.deepEqual(woken, []);
    await setImmediate();
    assert.deepEqual(woken, ['first']);
    await setImmediate();
    assert.deepEqual(woken, ['first', 'second']);
  });

  it('lets those behind one that has left pass', () => {
    const budget = new Budget(100, 0);
    const woken: string[] = [];
    budget.begin('body', 90);
    const leave = budget.wait('body', 90, () => woken.push('large'));
    budget.wait('body', 10, () => woken.push('small'));
    leave();
    leave();
    assert.deepEqual(woken, ['small']);
  });

  it('holds nothing in the end, and has stopped nobody for ever, whatever happened', () => {
    const step = fc.record({
      purpose: fc.constantFrom<Purpose>('body', 'read', 'write'),
      bytes: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 15_000 })),
      what: fc.constantFrom('begin', 'end', 'leave'),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new Budget(12_800);
        const running: { purpose: Purpose; bytes: number }[] = [];
        const waiting = new Set<() => void>();
        for (const { purpose, bytes, what, which } of steps) {
          if (what === 'begin') {
            if (budget.begin(purpose, bytes)) running.push({ purpose, bytes });
            else {
              const leave = budget.wait(purpose, bytes, () => {
                waiting.delete(leave);
                running.push({ purpose, bytes });
              });
              waiting.add(leave);
            }
          } else if (what === 'end') {
            const [ended] = running.splice(which % Math.max(running.length, 1), 1);
            if (ended !== undefined) budget.end(ended.purpose, ended.bytes);
          } else {
            const leave = [...waiting][which % Math.max(waiting.size, 1)];
            if (leave !== undefined) {
              waiting.delete(leave);
              leave();
            }
          }
        }
        for (let ended = running.pop(); ended !== undefined; ended = running.pop())
          budget.end(ended.purpose, ended.bytes);
        assert.equal(waiting.size, 0);
        assert.equal(budget.pressed, false);
        assert.ok(isEmpty(budget, 11_200));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a body on its way', () => {
  const quiet = { pause: () => undefined, resume: () => undefined };

  it('is all its pieces in order, whatever their sizes and whether its length was announced', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 60 }),
        fc.boolean(),
        (pieces, announced) => {
          const whole = Buffer.concat(pieces);
          const budget = new Budget(10 * mb, 0);
          const body = new Body(announced ? whole.length : 0, mb, budget, quiet);
          for (const piece of pieces) {
            const borrowed = Buffer.from(piece);
            body.append(borrowed);
            borrowed.fill(0);
          }
          assert.ok(body.finish().equals(whole));
          assert.ok(isEmpty(budget, 10 * mb));
        },
      ),
    );
  });

  it('waits for leave if it is large, is paused meanwhile, and never twice', () => {
    for (const expected of [0, 500_000]) {
      const budget = new Budget(mb, 0);
      const events: string[] = [];
      const source = { pause: () => events.push('pause'), resume: () => events.push('resume') };
      assert.ok(budget.begin('body', mb));
      const body = new Body(expected, mb, budget, source);
      for (let sent = 0; sent < 500_000; sent += 50_000) body.append(Buffer.alloc(50_000, 'x'));
      assert.deepEqual(events, ['pause']);
      budget.end('body', mb);
      assert.deepEqual(events, ['pause', 'resume']);
      assert.equal(body.finish().length, 500_000);
      assert.deepEqual(events, ['pause', 'resume']);
      assert.ok(isEmpty(budget, mb));
    }
  });

  it('gets the memory of one that was broken off, and never that of one that came to its end', () => {
    const budget = new Budget(100 * mb, 0);
    const begun = (content: string): Body => {
      const body = new Body(2 * mb, 2 * mb, budget, quiet);
      body.append(Buffer.alloc(mb, content));
      return body;
    };
    // Whatever others have left behind is at most twice as large.
    const [first, second] = [begun('a'), begun('b')];
    const kept = second.finish();
    first.giveUp();
    const third = begun('c');
    const whole = third.finish();
    assert.ok(whole.equals(Buffer.alloc(mb, 'c')));
    assert.ok(kept.equals(Buffer.alloc(mb, 'b')));
    const buffers = new Set([kept, whole, begun('d').finish(), begun('e').finish()].map(({ buffer }) => buffer));
    assert.equal(buffers.size, 4);
    assert.ok(isEmpty(budget, 100 * mb));
  });

  it('that ends while it waits holds nobody up', () => {
    const budget = new Budget(mb, 0);
    const events: string[] = [];
    const source = { pause: () => events.push('pause'), resume: () => events.push('resume') };
    assert.ok(budget.begin('body', mb));
    const body = new Body(100_000, mb, budget, source);
    body.append(Buffer.alloc(100_000));
    assert.equal(body.finish().length, 100_000);
    body.giveUp();
    assert.deepEqual(events, ['pause', 'resume']);
    budget.end('body', mb);
    assert.ok(isEmpty(budget, mb));
  });
});
