import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { join } from '../../workers/text/joined-text.js';
import { leastScattered, wholeOf } from '../../workers/text/scattered-text.js';
import { spareTexts } from '../../workers/text/spare-memory.js';

describe('parts of a text, joined', () => {
  it('are copied if they are small together', () => {
    const text = join([Buffer.from('a'), Buffer.from('b')]);
    assert.ok(Buffer.isBuffer(text));
    assert.equal(text.toString(), 'ab');
  });

  it('stay where they are if they are large together', () => {
    const large = Buffer.alloc(leastScattered, 'The quick brown fox\n');
    const parts = [large.subarray(0, 100_000), Buffer.from('jumps'), Buffer.alloc(0), large.subarray(100_000)];
    const text = join(parts);
    assert.ok(!Buffer.isBuffer(text));
    const expected = Buffer.concat(parts);
    assert.equal(text.length, expected.length);
    assert.ok(wholeOf(text).equals(expected));
  });

  it('give back the memory that is theirs alone, once, and only that', () => {
    const bytes = 2 * leastScattered;
    const [own, other] = [spareTexts.takeBytes(bytes), spareTexts.takeBytes(bytes)];
    const text = join([own, other], [own]);
    assert.ok(!Buffer.isBuffer(text));
    text.release();
    text.release();
    assert.deepEqual([own.length, other.length], [0, bytes]);
  });
});
