import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { placeOfText, placesOfEdits } from '../../workers/text/place.js';
import { linesOf } from './edit/oracle.js';

function named(...edits: readonly (readonly number[])[]): string | undefined {
  return placesOfEdits(new Set(edits.flat()));
}

describe('the lines of a new text', () => {
  it('include those it shares with the text around it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '\r'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, text, (before, added, after) => {
        fc.pre(added !== '');
        const whole = `${before}${added}${after}`;
        /** The line of a character: those that begin at or before it. */
        const lineOf = (place: number): number => {
          let end = 0;
          const ends = linesOf(whole).map((line) => (end += line.text.length + line.separator.length));
          return 1 + ends.filter((end) => end <= place).length;
        };
        const first = lineOf(before.length);
        const last = lineOf(before.length + added.length - 1);
        assert.equal(
          placeOfText([Buffer.from(before)], Buffer.from(added), Buffer.from(after)),
          first === last ? `line ${first}` : `lines ${first}-${last}`,
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it('are the one line where it would be, if it is empty', () => {
    const nothing = Buffer.alloc(0);
    assert.equal(placeOfText([Buffer.from('a\nb')], nothing, Buffer.from('c')), 'line 2');
    assert.equal(placeOfText([Buffer.from('a\n')], nothing, nothing), 'line 2');
    assert.equal(placeOfText([nothing], nothing, nothing), 'line 1');
  });
});

describe('the lines of several replacements', () => {
  it('are listed once each, in ascending order', () => {
    assert.equal(named([9, 9, 42], [3, 9]), 'lines 3, 9, 42');
    assert.equal(named([7, 7], [], [7]), 'line 7');
    assert.equal(named([], []), undefined);
  });

  it('are the first 20, whichever edits they belong to', () => {
    const from = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);
    const twenty = from(1, 20).join(', ');
    assert.equal(named(from(1, 20)), `lines ${twenty}`);
    assert.equal(named(from(1, 21)), `lines ${twenty}, …`);
    assert.equal(named(from(11, 1_000), from(1, 10)), `lines ${twenty}, …`);
    assert.equal(named(from(19, 2), from(1, 18)), `lines ${twenty}`);
  });
});
