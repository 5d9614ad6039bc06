import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { jsonOf } from '../../../src/core/json/json-of.js';

describe('JSON that leaves this process', () => {
  it('is one line to lenient readers too, and the same value', () => {
    const text = fc.string({ unit: fc.constantFrom('\u2028', '\u2029', '\\', '"', 'u2028', '\n', 'é', '\ud800', 'a') });
    fc.assert(
      fc.property(fc.object({ key: text, values: [text, fc.integer()] }), (value) => {
        const json = jsonOf(value);
        assert.doesNotMatch(json, /[\n\u2028\u2029]/);
        assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('escapes nothing else that JSON.stringify does not', () => {
    assert.equal(
      jsonOf({ 'a\u2028': ['b\u2029', '\u0085\u00a0\u2027\u202a'] }),
      '{"a\\u2028":["b\\u2029","\u0085\u00a0\u2027\u202a"]}',
    );
  });
});
