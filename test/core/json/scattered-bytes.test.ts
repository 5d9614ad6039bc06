import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { bytesFrom, gather, joined, ScatteredBytes } from '../../../src/core/json/scattered-bytes.js';

/** Lengths on both sides of the size that is worth a write of its own. */
const length = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 65_000, max: 200_000 }));
const pieces = fc
  .array(length, { minLength: 1, maxLength: 6 })
  .map((lengths) => lengths.map((each, index) => Buffer.alloc(each, `piece ${String(index)}`)));

describe('bytes in several places', () => {
  it('read, from any offset, as if contiguous', () => {
    fc.assert(
      fc.property(pieces, fc.double({ min: 0, max: 1, noNaN: true }), (given, at) => {
        const whole = Buffer.concat(given);
        for (const bytes of [new ScatteredBytes(given), gather(given)]) {
          assert.equal(bytes.length, whole.length);
          assert.ok(joined(bytes).equals(whole));
          const offset = Math.floor(at * whole.length);
          const found: Buffer[] = [];
          for (let next = offset; next < bytes.length;) {
            const some = bytesFrom(bytes, next);
            assert.ok(some.length > 0);
            found.push(some);
            next += some.length;
          }
          assert.ok(Buffer.concat(found).equals(whole.subarray(offset)));
          assert.equal(bytesFrom(bytes, bytes.length).length, 0);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are joined if small, and a large one is not copied', () => {
    const [frame, large, end] = [Buffer.from('{"text":'), Buffer.alloc(1_000_000, 'y'), Buffer.from('}')];
    assert.ok(gather([frame, end]) instanceof Buffer);
    const bytes = gather([frame, large, end]);
    assert.equal(bytesFrom(bytes, frame.length).buffer, large.buffer);
  });
});
