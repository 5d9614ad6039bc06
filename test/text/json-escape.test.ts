import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { jsonString } from '../../workers/text/json-escape.js';

describe('a JSON string made of bytes', () => {
  it('is what JSON.stringify makes of the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = Buffer.from(text);
        assert.equal(jsonString(bytes).toString(), JSON.stringify(bytes.toString()));
      }),
      { numRuns: 5_000 },
    );
  });

  it('escapes every control character, the quote and the backslash, and nothing else', () => {
    const all = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join('');
    assert.equal(jsonString(Buffer.from(all)).toString(), JSON.stringify(all));
  });

  it('owns its memory', () => {
    const json = jsonString(Buffer.from('a\nb'));
    assert.equal(json.buffer.byteLength, json.byteLength);
  });
});
