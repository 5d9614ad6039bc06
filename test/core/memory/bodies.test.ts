import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forgetBodies, giveBodyMemory, keepBody, takeBodyMemory } from '../../../src/core/memory/bodies.js';
import { collectGarbage } from '../../collect-garbage.js';

const megabyte = 1_048_576;

/** The number of bodies that arrive together and are aborted. */
function brokenOff(count: number, length: number): Set<ArrayBufferLike> {
  const bodies = Array.from({ length: count }, () => takeBodyMemory(length));
  for (const body of bodies) giveBodyMemory(body.buffer);
  return new Set(bodies.map(({ buffer }) => buffer));
}

describe('pooled memory too small for current bodies', () => {
  it('makes way for larger memory, and is collected', async () => {
    const small = [...brokenOff(40, 3 * megabyte)].map((memory) => new WeakRef(memory));
    // The target of a WeakRef lives until the end of the turn that created it.
    await new Promise(setImmediate);
    const large = Array.from({ length: 12 }, () => takeBodyMemory(10 * megabyte).buffer);
    await new Promise(setImmediate);
    const left = small.filter((memory) => memory.deref() !== undefined).length;
    // Up to 32 MB may stay pooled for later bodies.
    assert.ok(left <= 12, `${String(left)} of 40 are left`);
    for (const memory of large) giveBodyMemory(memory);
  });

  it('is released in an idle server', async () => {
    const used = [...brokenOff(5, 3 * megabyte)].map((memory) => new WeakRef(memory));
    await new Promise(setImmediate);
    forgetBodies();
    collectGarbage();
    assert.deepEqual(
      used.map((memory) => memory.deref()),
      used.map(() => undefined),
    );
  });
});

describe('the memory of aborted bodies', () => {
  it('serves smaller ones too, and is kept in their place: garbage would grow faster than it is collected', () => {
    const small = brokenOff(90, 3 * megabyte);
    const large = brokenOff(25, 10 * megabyte);
    assert.ok([...brokenOff(25, 10 * megabyte)].every((memory) => large.has(memory)));
    assert.ok([...brokenOff(25, 3 * megabyte)].every((memory) => large.has(memory) || small.has(memory)));
    assert.ok([...brokenOff(25, 10 * megabyte)].every((memory) => large.has(memory)));
  });

  it('is not kept by a smaller body that arrived whole, which gets its own', () => {
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
