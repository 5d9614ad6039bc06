import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { Matches } from '../../../workers/text/find/matches.js';

const gap = fc.nat(50);
const width = fc.integer({ min: 1, max: 3 });

/** Reads the matches back. */
function told(matches: Matches): (readonly [number, number])[] {
  return Array.from({ length: matches.length }, (_, index) => [matches.startAt(index), matches.endAt(index)] as const);
}

function pushAll(matches: Matches, gaps: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  let at = 0;
  const expected: (readonly [number, number])[] = [];
  for (const [before, bytes] of gaps) {
    const start = at + before;
    at = start + bytes;
    matches.push(start, at);
    expected.push([start, at]);
  }
  return expected;
}

describe('matches in a text', () => {
  for (const [which, widths] of [
    ['all as wide', fc.constant(4)],
    ['of several widths', width],
  ] as const) {
    it(`are stored exactly: ${which}`, () => {
      fc.assert(
        fc.property(fc.array(fc.tuple(gap, widths), { maxLength: 40 }), (gaps) => {
          const matches = new Matches();
          const expected = pushAll(matches, gaps);
          assert.deepEqual(told(matches), expected);
          assert.equal(
            matches.bytes,
            expected.reduce((sum, [start, end]) => sum + end - start, 0),
          );
        }),
      );
    });
  }

  it('are empty once freed, and can be refilled', () => {
    const matches = new Matches();
    const many = Array.from({ length: 40_000 }, (_, index) => [1, index < 30_000 ? 2 : 3] as const);
    pushAll(matches, many);
    matches.free();
    assert.deepEqual(told(matches), []);
    assert.equal(matches.starts.at(0), undefined);
    assert.deepEqual(pushAll(matches, many), told(matches));
    assert.equal(matches.starts.at(many.length), undefined);
  });

  it('release their memory when freed, without a collection', () => {
    const matches = new Matches();
    for (let place = 0; place < 1_000_000; place++) matches.push(place, place + 1);
    const before = process.memoryUsage().arrayBuffers;
    matches.free();
    assert.ok(before - process.memoryUsage().arrayBuffers > 3_800_000);
  });
});
