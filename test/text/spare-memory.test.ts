import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SpareMemory } from '../../workers/text/spare-memory.js';

const mb = 1_048_576;

describe('spare memory', () => {
  it('is taken once, by what nearly fills it', () => {
    const spare = new SpareMemory(32 * mb);
    const given = new ArrayBuffer(1000);
    spare.give([given]);
    assert.notEqual(spare.take(500).buffer, given, 'far too large');
    assert.notEqual(spare.take(1001).buffer, given, 'too small');
    assert.equal(spare.take(900).buffer, given);
    assert.notEqual(spare.take(900).buffer, given, 'in use');
  });

  it('is as long as was wanted at least', () => {
    const spare = new SpareMemory(32 * mb);
    spare.give([new ArrayBuffer(1000)]);
    for (const wanted of [900, 900, 0]) assert.ok(spare.take(wanted).length >= wanted);
  });

  it('is forgotten beyond a limit, the oldest first', () => {
    const spare = new SpareMemory(32 * mb);
    const given = Array.from({ length: 5 }, (_, index) => new ArrayBuffer(10 * mb + index));
    for (const memory of given) spare.give([memory]);
    assert.deepEqual(
      given.map(({ byteLength }) => byteLength > 0),
      [false, false, true, true, true],
      'what is forgotten is freed',
    );
    const taken = given.map((_, index) => spare.take(10 * mb + index).buffer);
    assert.deepEqual(
      given.map((memory) => taken.includes(memory)),
      [false, false, true, true, true],
    );
  });

  it('keeps what fits beside what is too large', () => {
    const spare = new SpareMemory(32 * mb);
    const given = new ArrayBuffer(1000);
    spare.give([given]);
    spare.give([new ArrayBuffer(33 * mb)]);
    assert.equal(spare.take(1000).buffer, given);
  });

  it('is given once by texts that have it in common', () => {
    const spare = new SpareMemory(32 * mb);
    const text = spare.takeBytes(mb);
    spare.giveTexts([text, text.subarray(1), text.subarray(0, 9)]);
    assert.equal(spare.takeBytes(mb).buffer, text.buffer);
    assert.notEqual(spare.takeBytes(mb).buffer, text.buffer);
  });

  it('of large texts is freed, whoever still refers to it; that of the same file again is kept', () => {
    const spare = new SpareMemory(32 * mb);
    const [freed, kept] = [spare.takeBytes(4 * mb), spare.concat([Buffer.alloc(4 * mb), Buffer.from('!')])];
    spare.giveTexts([freed]);
    assert.equal(freed.length, 0);
    spare.giveTexts([kept], true);
    assert.equal(kept.toString('latin1', 4 * mb), '!');
    assert.equal(spare.takeBytes(4 * mb).buffer, kept.buffer);
  });

  it('is not that of small texts, which others have their part in, nor that of large ones', () => {
    const spare = new SpareMemory(32 * mb);
    for (const text of [spare.takeBytes(100), spare.takeBytes(4 * mb), Buffer.allocUnsafeSlow(mb).subarray(0, 9)]) {
      spare.giveTexts([text]);
      assert.notEqual(spare.take(text.buffer.byteLength).buffer, text.buffer, String(text.length));
    }
  });
});
