import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  replacementsBytes,
  replacementsJson,
  replacementValues,
} from '../../../workers/text/replace/replacements-json.js';
import { AscendingNumbers } from '../../../workers/text/search/ascending-numbers.js';

const lineNumber = fc.oneof(
  fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  fc.nat(9).map((power) => 10 ** power),
  fc.integer({ min: 1, max: 9 }).map((power) => 10 ** power - 1),
);

const replaced = fc
  .record({ edit: fc.integer({ min: 1, max: 1000 }), lines: fc.array(lineNumber, { maxLength: 3_000, size: 'max' }) })
  .map(({ edit, lines }) => ({ edit, count: lines.length, lines: ascending(lines) }));

function ascending(values: readonly number[]): AscendingNumbers {
  const numbers = new AscendingNumbers();
  for (const value of values.toSorted((a, b) => a - b)) numbers.push(value);
  return numbers;
}

describe('the report of replacements as JSON', () => {
  it('is what JSON.stringify makes of it, in exactly as many bytes as were told before', () => {
    fc.assert(
      fc.property(fc.array(replaced, { maxLength: 5 }), (replacements) => {
        const json = replacementsJson(replacements);
        assert.equal(json.toString(), JSON.stringify(replacementValues(replacements)));
        assert.equal(replacementsBytes(replacements), json.length);
      }),
      { examples: [[[]], [[{ edit: 1, count: 0, lines: new AscendingNumbers() }]]] },
    );
  });
});
