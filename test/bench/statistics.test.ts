import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exponent, median, percentile } from '../../bench/statistics.js';
import { table } from '../../bench/report/table.js';

describe('the figures of a run', () => {
  it('the median is the middle value, or the mean of the two middle ones', () => {
    assert.equal(median([10, 1, 2]), 2);
    assert.equal(median([10, 1, 2, 4]), 3);
    assert.equal(median([7]), 7);
    assert.ok(Number.isNaN(median([])));
  });

  it('p99 is a measured value that 99 of 100 do not exceed', () => {
    const values = Array.from({ length: 1000 }, (_, index) => 1000 - index);
    assert.equal(percentile(values, 0.99), 990);
    assert.equal(percentile(values, 0.5), 500);
    assert.equal(percentile([3, 1, 2], 0.99), 3, 'of few values the largest');
    assert.ok(Number.isNaN(percentile([], 0.99)));
  });

  it('the growth exponent is 0 for a constant cost, 1 for a proportional one', () => {
    const grown = (cost: number): string => exponent({ amount: 10, cost: 3 }, { amount: 1000, cost }).toFixed(6);
    assert.deepEqual([grown(3), grown(300), grown(30_000)], ['0.000000', '1.000000', '2.000000']);
  });
});

describe('a text table', () => {
  it('right-aligns its figures', () => {
    assert.equal(
      table(
        ['what', 'ms'],
        [
          ['read', '1.00'],
          ['a long name', '100'],
        ],
      ),
      ['what           ms', '-----------  ----', 'read         1.00', 'a long name   100'].join('\n'),
    );
  });
});
