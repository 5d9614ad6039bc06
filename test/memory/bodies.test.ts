import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { giveBodyMemory, keepBody, takeBodyMemory } from '../../src/memory/bodies.js';

const megabyte = 1_048_576;

/** So many bodies that arrive together and are broken off. */
function brokenOff(count: number, length: number): Set<unknown> {
  const bodies = Array.from({ length: count }, () => takeBodyMemory(length));
  for (const body of bodies) giveBodyMemory(body);
  return new Set(bodies.map(({ buffer }) => buffer));
}

describe('the memory of bodies that were broken off', () => {
  it('serves smaller ones too, and is kept in their place: it would be garbage faster than that is collected', () => {
    const small = brokenOff(90, 3 * megabyte);
    const large = brokenOff(25, 10 * megabyte);
    assert.ok([...brokenOff(25, 10 * megabyte)].every((memory) => large.has(memory)));
    assert.ok([...brokenOff(25, 3 * megabyte)].every((memory) => large.has(memory) || small.has(memory)));
    assert.ok([...brokenOff(25, 10 * megabyte)].every((memory) => large.has(memory)));
  });

  it('is not kept by a smaller one that came whole: that gets its own', () => {
    brokenOff(1, 50 * megabyte);
    const bytes = takeBodyMemory(2 * megabyte);
    assert.ok(bytes.length > 4 * megabyte);
    bytes.write('whole');
    const kept = keepBody(bytes, 2 * megabyte);
    assert.equal(kept.buffer.byteLength, 2 * megabyte);
    assert.equal(kept.toString('latin1', 0, 5), 'whole');
    const taken = Array.from({ length: 30 }, () => takeBodyMemory(bytes.length).buffer);
    assert.ok(taken.includes(bytes.buffer), 'it has been given back');
  });
});
