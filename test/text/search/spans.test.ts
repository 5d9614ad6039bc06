import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Spans } from '../../../workers/text/search/spans.js';

const gap = fc.nat(50);
const width = fc.integer({ min: 1, max: 3 });

/** As the spans tell them. */
function told(spans: Spans): (readonly [number, number])[] {
  return Array.from({ length: spans.length }, (_, index) => [spans.startAt(index), spans.endAt(index)] as const);
}

function pushAll(spans: Spans, gaps: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  let at = 0;
  const expected: (readonly [number, number])[] = [];
  for (const [before, bytes] of gaps) {
    const start = at + before;
    at = start + bytes;
    spans.push(start, at);
    expected.push([start, at]);
  }
  return expected;
}

describe('spans of a text', () => {
  for (const [which, widths] of [
    ['all as wide', fc.constant(4)],
    ['of several widths', width],
  ] as const) {
    it(`are kept as they are: ${which}`, () => {
      fc.assert(
        fc.property(fc.array(fc.tuple(gap, widths), { maxLength: 40 }), (gaps) => {
          const spans = new Spans();
          const expected = pushAll(spans, gaps);
          assert.deepEqual(told(spans), expected);
          assert.equal(
            spans.bytes,
            expected.reduce((sum, [start, end]) => sum + end - start, 0),
          );
        }),
      );
    });
  }

  it('are none once they are freed, and can be filled again with others', () => {
    const spans = new Spans();
    const many = Array.from({ length: 40_000 }, (_, index) => [1, index < 30_000 ? 2 : 3] as const);
    pushAll(spans, many);
    spans.free();
    assert.deepEqual(told(spans), []);
    assert.deepEqual(pushAll(spans, many), told(spans));
  });
});
