import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { idAt, positionOf } from '../../workers/history/change-id.js';

const position = fc.oneof(fc.nat(100), fc.nat(), fc.maxSafeNat());

describe('the id of a change', () => {
  it('stands for its position in the log', () => {
    fc.assert(fc.property(position, (at) => positionOf(idAt(at)) === at));
  });

  it('compares like its position', () => {
    fc.assert(fc.property(position, position, (a, b) => idAt(a) < idAt(b) === a < b));
  });

  it('is short', () => {
    assert.deepEqual([0, 35, 36, 1_000_000].map(idAt), ['a0', 'az', 'b10', 'dlfls']);
  });

  it('is no other text', () => {
    for (const text of ['', 'a', '0', 'b1', 'a00', 'b0z', 'A0', 'a-', 'l3kdjf8sdkjfh', 'constructor']) {
      assert.equal(positionOf(text), undefined, text);
    }
  });
});
