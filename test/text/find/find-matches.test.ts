import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { fold } from '../../../workers/text/find/case-folding.js';
import { findMatches } from '../../../workers/text/find/find-matches.js';
import { headOf } from '../../../workers/text/find/probe.js';
import { Rope } from '../../../workers/text/rope/rope.js';

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'ſ', 'S', ' ', '\n'), maxLength: 60 });
const needles = fc.string({ unit: fc.constantFrom('a', 'b', 's'), minLength: 1, maxLength: 3 });
const how = fc.record({ folded: fc.boolean(), overlapping: fc.boolean(), wholeWord: fc.boolean() });

describe('the occurrences of a string', () => {
  it('stop at the requested number', () => {
    fc.assert(
      fc.property(text, needles, how, fc.nat(4), (old, string, { folded, overlapping, wholeWord }, most) => {
        const rope = new Rope(Buffer.from(old.repeat(400)), undefined);
        const bytes = folded ? fold(Buffer.from(string)).bytes : Buffer.from(string);
        const find = (limit: number): readonly (readonly number[])[] => {
          const wanted = { overlapping, most: limit, wholeWord };
          const matches = findMatches(rope, { bytes, folded }, headOf(bytes), wanted);
          const indices = Array.from({ length: matches.length }, (_, index) => index);
          return [indices.map((index) => matches.startAt(index)), indices.map((index) => matches.endAt(index))];
        };
        const all = find(Infinity);
        assert.deepEqual(
          find(most + 1),
          all.map((offsets) => offsets.slice(0, most + 1)),
        );
      }),
    );
  });
});
