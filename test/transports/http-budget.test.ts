import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Body } from '../../src/transports/http-body.js';
import { Budget, budgetBytes, type Purpose } from '../../src/transports/http-budget.js';
import { mb } from './http-harness.js';

/** Bytes that are free, as an observer can tell. */
function isEmpty(budget: Budget, limit: number): boolean {
  // Two that need all of it together fit exactly if nothing else is held.
  const half = limit / 2;
  const both = budget.begin('call', half) && budget.begin('call', half) && !budget.begin('call', 1);
  if (both) {
    budget.end('call', half);
    budget.end('call', half);
  }
  return both;
}

describe('the memory budget', () => {
  it('is 256 MB, or four times the limit of a request', () => {
    assert.equal(budgetBytes(10 * mb), 256 * mb);
    assert.equal(budgetBytes(100 * mb), 400 * mb);
  });

  it('begins what fits', () => {
    const budget = new Budget(100);
    budget.hold(30);
    budget.holdAnswer(10);
    assert.equal(budget.begin('call', 61), false);
    assert.equal(budget.begin('call', 20), true);
    assert.equal(budget.begin('body', 40), true);
    assert.equal(budget.begin('body', 1), false);
  });

  it('begins what does not fit if nothing is going on that could make room', () => {
    const held = new Budget(100);
    held.hold(1000);
    assert.equal(held.begin('body', 60), true);
    assert.equal(held.begin('body', 1), false, 'the first body will end');
    assert.equal(held.begin('call', 60), true, 'the body may have to wait for a call');
    assert.equal(held.begin('call', 1), false, 'the first call will end');
    const answered = new Budget(100);
    answered.holdAnswer(1000);
    assert.equal(answered.begin('body', 1), false, 'the answer will be taken');
    assert.equal(answered.begin('call', 1), false, 'the answer will be taken');
  });

  it('wakes those who wait in order of arrival, when there is room', () => {
    const budget = new Budget(100);
    const woken: string[] = [];
    const wait = (name: string, bytes: number): (() => void) => budget.wait('call', bytes, () => woken.push(name));
    assert.equal(budget.begin('call', 100), true);
    wait('a', 50);
    const leave = wait('b', 50);
    wait('c', 60);
    wait('d', 10);
    assert.equal(budget.pressed, true);
    assert.equal(budget.begin('call', 0), false, 'somebody was before');
    leave();
    budget.end('call', 100);
    assert.deepEqual(woken, ['a']);
    budget.end('call', 50);
    assert.deepEqual(woken, ['a', 'c', 'd']);
    assert.equal(budget.pressed, false);
  });

  it('lets those behind one that has left pass', () => {
    const budget = new Budget(100);
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
      purpose: fc.constantFrom<Purpose>('body', 'call'),
      bytes: fc.integer({ min: 0, max: 150 }),
      what: fc.constantFrom('begin', 'end', 'leave'),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new Budget(100);
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
        assert.ok(isEmpty(budget, 100));
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
          const budget = new Budget(10 * mb);
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
      const budget = new Budget(mb);
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

  it('that ends while it waits holds nobody up', () => {
    const budget = new Budget(mb);
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
