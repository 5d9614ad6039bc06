import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from '../../fast-check.js';
import { sampleOf } from '../../../workers/text/find/probe.js';
import { findAll, findEach } from '../../../workers/text/find/search.js';
import { twoWaySearch } from '../../../workers/text/find/two-way.js';

function byOracle(text: string, needle: string, overlapping: boolean): number[] {
  const found: number[] = [];
  for (let start = 0; start + needle.length <= text.length; start++) {
    if (!text.startsWith(needle, start)) continue;
    found.push(start);
    if (!overlapping) start += needle.length - 1;
  }
  return found;
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 300 });
const periodic = fc
  .tuple(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 }), fc.nat(200))
  .map(([unit, times]) => unit.repeat(times));
const text = fc.tuple(fc.oneof(letters, periodic), fc.oneof(letters, periodic)).map((parts) => parts.join(''));
/** Half of the needles are cut out of the text, so they occur. */
const scene = text.chain((whole) =>
  fc.record({
    whole: fc.constant(whole),
    needle: fc
      .oneof(
        text,
        fc.tuple(fc.nat(whole.length), fc.nat(200)).map(([start, length]) => whole.slice(start, start + length)),
      )
      .map((needle) => needle || 'a'),
    overlapping: fc.boolean(),
  }),
);

test('a search finds every occurrence, like trying every place', () => {
  let found = 0;
  let runs = 0;
  fc.assert(
    fc.property(scene, ({ whole, needle, overlapping }) => {
      runs++;
      const expected = byOracle(whole, needle, overlapping);
      assert.deepEqual(findAll(Buffer.from(whole), Buffer.from(needle), overlapping), expected);
      const all: number[] = [];
      twoWaySearch(Buffer.from(whole), Buffer.from(needle), 0, (start) => all.push(start));
      assert.deepEqual(all, byOracle(whole, needle, true));
      found += needle.length > 64 ? expected.length : 0;
    }),
    { numRuns: 5_000 },
  );
  // There are fewer where a property is given little time.
  assert.ok(found > 500 || runs < 5_000, 'too few long needles were found to prove anything');
});

test('a search finds every occurrence, whichever part of the needle it searches for', () => {
  const probed = scene.chain(({ whole, needle, overlapping }) =>
    fc.nat(needle.length - 1).chain((at) =>
      fc.record({
        scene: fc.constant({ whole, needle, overlapping }),
        at: fc.constant(at),
        length: fc.integer({ min: 1, max: needle.length - at }),
      }),
    ),
  );
  fc.assert(
    fc.property(probed, ({ scene: { whole, needle, overlapping }, at, length }) => {
      const sought = Buffer.from(needle);
      const found: number[] = [];
      const take = (start: number): boolean => found.push(start) > 0;
      findEach(Buffer.from(whole), sought, overlapping, take, { bytes: sought.subarray(at, at + length), at });
      assert.deepEqual(found, byOracle(whole, needle, overlapping));
    }),
    { numRuns: 5_000 },
  );
});

describe('the part of a needle to search for in a large text', () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `Line ${String(index)} of all: ${String(index % 7)}.`);
  const large = Buffer.from(lines.join('\n'));

  it('is one that is rare in the text', () => {
    const needle = Buffer.from('\nLine 2500 of all, that is quite rare');
    assert.deepEqual(sampleOf(large)?.probeOf(needle), { bytes: Buffer.from(', that '), at: 17 });
  });

  it('is the beginning if no part is rare', () => {
    const needle = Buffer.from('of all: 5.\nLine 2'.repeat(5));
    assert.deepEqual(sampleOf(large)?.probeOf(needle), { bytes: needle.subarray(0, 64), at: 0 });
  });

  it('is not computed for a short text, which is searched sooner', () => {
    assert.equal(sampleOf(Buffer.alloc(65_535)), undefined);
  });

  it('is found wherever it is', () => {
    for (const [index, line] of lines.entries()) {
      if (index % 100 === 0)
        assert.deepEqual(findAll(large, Buffer.from(`${line}\n`), true), [large.indexOf(`${line}\n`)]);
    }
  });
});

test('a search finds every occurrence if a sample says nothing about the rest of the text', () => {
  const size = 2 ** 20;
  for (const [common, rare] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    // The sampled places hold one letter, everything else the other.
    const text = Buffer.alloc(size, common);
    for (let at = 0; at < size; at += size / 32) text.fill(rare, at, at + 128);
    for (const needle of [`${common}${rare}`, `${common.repeat(20)}${rare}`, `${rare}${common.repeat(70)}`]) {
      const expected: number[] = [];
      for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) expected.push(at);
      assert.ok(expected.length > 0);
      assert.deepEqual(findAll(text, Buffer.from(needle), true), expected);
    }
  }
});

describe('a search that would take hours at quadratic cost', () => {
  const run = Buffer.alloc(2 ** 20, 'a');

  it('ends for a long needle that matches everywhere', () => {
    const needle = Buffer.alloc(2 ** 19, 'a');
    assert.equal(findAll(run, needle, true).length, 2 ** 19 + 1);
    assert.deepEqual(findAll(run, needle, false), [0, 2 ** 19]);
  });

  it('ends for a needle that differs in its last, first or middle byte', () => {
    for (const at of [0, 2 ** 18, 2 ** 19 - 1]) {
      const needle = Buffer.alloc(2 ** 19, 'a');
      needle[at] = 98;
      assert.deepEqual(findAll(run, needle, true), []);
    }
  });
});
