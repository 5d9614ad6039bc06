import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { replacementsBytes, replacementsJson } from '../../../workers/text/replace/replacements-json.js';

const lineNumber = fc.oneof(
  fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  fc.nat(9).map((power) => 10 ** power),
  fc.integer({ min: 1, max: 9 }).map((power) => 10 ** power - 1),
);

const replaced = fc
  .record({ edit: fc.integer({ min: 1, max: 1000 }), lines: fc.array(lineNumber, { maxLength: 3_000, size: 'max' }) })
  .map(({ edit, lines }) => ({ edit, count: lines.length, lines: Uint32Array.from(lines) }));

describe('the report of replacements as JSON', () => {
  it('is what JSON.stringify makes of it, in exactly as many bytes as were told before', () => {
    fc.assert(
      fc.property(fc.array(replaced, { maxLength: 5 }), (replacements) => {
        const json = replacementsJson(replacements);
        const values = replacements.map(({ edit, count, lines }) => ({ edit, count, lines: [...lines] }));
        assert.equal(json.toString(), JSON.stringify(values));
        assert.equal(replacementsBytes(replacements), json.length);
      }),
      { examples: [[[]], [[{ edit: 1, count: 0, lines: new Uint32Array() }]]] },
    );
  });
});
