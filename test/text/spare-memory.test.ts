import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SpareMemory } from '../../workers/text/spare-memory.js';

const mb = 1_048_576;

describe('spare memory', () => {
  it('is taken once, by what nearly fills it', () => {
    const spare = new SpareMemory();
    const given = new ArrayBuffer(1000);
    spare.give([given]);
    assert.notEqual(spare.take(500).buffer, given, 'far too large');
    assert.notEqual(spare.take(1001).buffer, given, 'too small');
    assert.equal(spare.take(900).buffer, given);
    assert.notEqual(spare.take(900).buffer, given, 'in use');
  });

  it('is as long as was wanted at least', () => {
    const spare = new SpareMemory();
    spare.give([new ArrayBuffer(1000)]);
    for (const wanted of [900, 900, 0]) assert.ok(spare.take(wanted).length >= wanted);
  });

  it('is forgotten beyond 32 MB, the oldest first', () => {
    const spare = new SpareMemory();
    const given = Array.from({ length: 5 }, (_, index) => new ArrayBuffer(10 * mb + index));
    for (const memory of given) spare.give([memory]);
    const taken = given.map(({ byteLength }) => spare.take(byteLength).buffer);
    assert.deepEqual(
      given.map((memory) => taken.includes(memory)),
      [false, false, true, true, true],
    );
  });
});
