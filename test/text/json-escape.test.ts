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

  it('is the same for texts of several pieces, cut between the bytes of a character and with many escapes', () => {
    for (const text of [
      'é'.repeat(70_000),
      `x${'😀\n'.repeat(50_000)}`,
      '\u0001"\\'.repeat(60_000),
      'x'.repeat(131_072),
    ]) {
      assert.equal(jsonString(Buffer.from(text)).toString(), JSON.stringify(text));
    }
  });

  it('owns its memory, also when it is short', () => {
    for (const text of ['', 'a\nb', 'x'.repeat(100_000)]) {
      const json = jsonString(Buffer.from(text));
      assert.equal(json.byteOffset, 0);
      assert.ok(json.buffer.byteLength <= json.byteLength * 1.125 + 2, 'no pool of other buffers');
    }
  });
});
