import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AscendingNumbers } from '../../../workers/text/search/ascending-numbers.js';

function numbersOf(values: Iterable<number>): AscendingNumbers {
  const numbers = new AscendingNumbers();
  for (const value of values) numbers.push(value);
  return numbers;
}

const largest = 2 ** 32 - 1;

describe('ascending numbers', () => {
  it('are read as they were given, also those that are equal or far from each other', () => {
    const number = fc.oneof(
      fc.nat(300),
      fc.integer({ min: 0, max: largest }),
      fc.nat(4).map((power) => 128 ** power),
      fc.nat(4).map((power) => 128 ** power - 1),
    );
    fc.assert(
      fc.property(fc.array(number, { maxLength: 200, size: 'max' }), (values) => {
        const ascending = values.toSorted((a, b) => a - b);
        const numbers = numbersOf(ascending);
        assert.equal(numbers.length, ascending.length);
        assert.deepEqual(numbers.toArray(), ascending);
      }),
      { examples: [[[]], [[0]], [[largest, largest]]] },
    );
  });

  it('may be millions, of which many lie in two blocks of memory', () => {
    const values = Array.from({ length: 300_000 }, (_, index) => 1_000 * index);
    assert.deepEqual(numbersOf(values).toArray(), values);
  });

  it('take a byte each if they lie close together, and none once they are freed, without a collection', () => {
    const before = process.memoryUsage().arrayBuffers;
    const numbers = new AscendingNumbers();
    for (let line = 1; line <= 2_000_000; line++) numbers.push(line);
    const held = process.memoryUsage().arrayBuffers;
    assert.ok(held - before < 2_300_000, `${String(held - before)} bytes`);
    numbers.free();
    assert.ok(held - process.memoryUsage().arrayBuffers > 1_800_000);
    assert.deepEqual([numbers.length, numbers.toArray()], [0, []]);
    numbers.push(7);
    assert.deepEqual([numbers.length, numbers.toArray()], [1, [7]]);
  });
});
