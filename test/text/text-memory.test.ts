import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textMemory } from '../../workers/text/text-memory.js';

const mb = 1_048_576;

describe('the memory of texts', () => {
  it('is freed even if something still refers to it, and only once by texts that share it', () => {
    const text = textMemory.concat([Buffer.alloc(mb), Buffer.from('!')]);
    textMemory.free([text, text.subarray(1), text.subarray(0, 9)]);
    assert.equal(text.length, 0);
    textMemory.free([text]);
  });

  it('is not freed for small texts, which share theirs, nor for memory from elsewhere', () => {
    for (const text of [textMemory.take(100), Buffer.allocUnsafeSlow(mb)]) {
      const { length } = text;
      textMemory.free([text]);
      assert.equal(text.length, length);
    }
  });
});
