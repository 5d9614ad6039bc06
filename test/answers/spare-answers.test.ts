import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SpareAnswers } from '../../workers/answers/spare-answers.js';

const mb = 1_048_576;

describe('spare memory of answers', () => {
  it('is taken once, by what nearly fills it', () => {
    const spare = new SpareAnswers();
    const given = new ArrayBuffer(1000);
    spare.give([given]);
    assert.notEqual(spare.take(500).buffer, given, 'far too large');
    assert.notEqual(spare.take(1001).buffer, given, 'too small');
    assert.equal(spare.take(900).buffer, given);
    assert.notEqual(spare.take(900).buffer, given, 'in use');
  });

  it('is as long as was wanted at least', () => {
    const spare = new SpareAnswers();
    spare.give([new ArrayBuffer(1000)]);
    for (const wanted of [900, 900, 0]) assert.ok(spare.take(wanted).length >= wanted);
  });

  it('is forgotten beyond a limit, the oldest first', () => {
    const spare = new SpareAnswers();
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
    const spare = new SpareAnswers();
    const given = new ArrayBuffer(1000);
    spare.give([given]);
    spare.give([new ArrayBuffer(33 * mb)]);
    assert.equal(spare.take(1000).buffer, given);
  });
});
