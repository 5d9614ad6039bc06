import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { distance } from '../../../src/core/names/distance.js';

/** Optimal string alignment, straight from its definition. */
function slips(a: string, b: string): number {
  const row = (i: number, j: number): number => table[i]?.[j] ?? 0;
  const table: number[][] = [];
  for (let i = 0; i <= a.length; i++) {
    const cells: number[] = [];
    table.push(cells);
    for (let j = 0; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const ways = [row(i - 1, j - 1) + (same ? 0 : 1), row(i - 1, j) + 1, (cells[j - 1] ?? 0) + 1];
      if (i === 0 || j === 0) cells.push(i + j);
      else cells.push(Math.min(...ways, ...(swapped ? [row(i - 2, j - 2) + 1] : [])));
    }
  }
  return row(a.length, b.length);
}

describe('the distance of two words', () => {
  const unit = fc.constantFrom('x', 'y', 'z');
  const word = fc.string({ unit, maxLength: 12 });

  it('counts insertions, deletions, replacements and swaps, up to the limit', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 1, max: 14 }), (a, b, enough) => {
        assert.equal(distance(a, b, enough), Math.min(slips(a, b), enough));
      }),
      { numRuns: 2_000 },
    );
  });

  // Two slips behind the last character make a name four longer: 256 in all.
  it('is as accurate for the longest names as for short ones, and after them', () => {
    const slip = fc.tuple(fc.nat({ max: 254 }), fc.constantFrom('', 'y', 'xy', 'yz'));
    fc.assert(
      fc.property(fc.string({ unit, minLength: 248, maxLength: 252 }), slip, slip, (name, one, two) => {
        const typed = [one, two].reduce((text, [at, put]) => text.slice(0, at) + put + text.slice(at + 1), name);
        for (const enough of [2, 3, 255]) {
          assert.equal(distance(typed, name, enough), Math.min(slips(typed, name), enough));
        }
        assert.equal(distance('reamde', 'readme', 3), 1);
      }),
      { numRuns: 40 },
    );
  });

  it('reaches the limit for strings longer than any name', () => {
    assert.equal(distance('x'.repeat(300), 'x'.repeat(300), 3), 3);
  });
});
