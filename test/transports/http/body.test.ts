import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { Budget } from '../../../src/call/budget.js';
import { Body } from '../../../src/transports/http/body.js';
import { mb } from './harness.js';

/** Whether no memory of this size is held. */
function isEmpty(budget: Budget, limit: number): boolean {
  budget.hold('other', limit);
  const empty = !budget.isFull;
  budget.release('other', limit);
  return empty;
}

describe('a body in transit', () => {
  const quiet = { pause: () => undefined, resume: () => undefined };

  it('is all its pieces in order, whatever their sizes and with or without Content-Length', () => {
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
          assert.equal(isEmpty(budget, 10 * mb), whole.length === 0, 'it is counted until its call has been answered');
          body.giveUp();
          assert.ok(isEmpty(budget, 10 * mb));
        },
      ),
    );
  });

  it('waits for memory if large, is paused while it waits, and waits only once', () => {
    for (const expected of [0, 500_000]) {
      const budget = new Budget(mb, 0);
      const events: string[] = [];
      const source = { pause: () => events.push('pause'), resume: () => events.push('resume') };
      assert.ok(budget.begin('body', mb));
      const body = new Body(expected, mb, budget, source);
      for (let sent = 0; sent < 500_000; sent += 50_000) body.append(Buffer.alloc(50_000, 'x'));
      assert.deepEqual(events, ['pause']);
      budget.release('body', mb);
      assert.deepEqual(events, ['pause', 'resume']);
      assert.equal(body.finish().length, 500_000);
      assert.deepEqual(events, ['pause', 'resume']);
      body.giveUp();
      assert.ok(isEmpty(budget, mb));
    }
  });

  it('reuses the memory of an aborted body, never that of a completed one', () => {
    const budget = new Budget(100 * mb, 0);
    const begun = (content: string): Body => {
      const body = new Body(2 * mb, 2 * mb, budget, quiet);
      body.append(Buffer.alloc(mb, content));
      return body;
    };
    // Memory left by others is at most twice as large.
    const [first, second] = [begun('a'), begun('b')];
    const kept = second.finish();
    first.giveUp();
    const third = begun('c');
    const whole = third.finish();
    assert.ok(whole.equals(Buffer.alloc(mb, 'c')));
    assert.ok(kept.equals(Buffer.alloc(mb, 'b')));
    const [fourth, fifth] = [begun('d'), begun('e')];
    const buffers = new Set([kept, whole, fourth.finish(), fifth.finish()].map(({ buffer }) => buffer));
    assert.equal(buffers.size, 4);
    for (const body of [second, third, fourth, fifth]) body.giveUp();
    assert.ok(isEmpty(budget, 100 * mb));
  });

  it('does not block others if it ends while it waits', () => {
    const budget = new Budget(mb, 0);
    const events: string[] = [];
    const source = { pause: () => events.push('pause'), resume: () => events.push('resume') };
    assert.ok(budget.begin('body', mb));
    const body = new Body(100_000, mb, budget, source);
    body.append(Buffer.alloc(100_000));
    assert.equal(body.finish().length, 100_000);
    body.giveUp();
    assert.deepEqual(events, ['pause', 'resume']);
    budget.release('body', mb);
    assert.ok(isEmpty(budget, mb));
  });
});
