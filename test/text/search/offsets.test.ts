import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Offsets } from '../../../workers/text/search/offsets.js';

describe('places in a text', () => {
  it('are kept, however many there are', () => {
    const offsets = new Offsets();
    const places = Array.from({ length: 50_000 }, (_, index) => 3 * index);
    for (const [index, place] of places.entries()) {
      offsets.push(place);
      assert.equal(offsets.length, index + 1);
      assert.equal(offsets.at(index), place);
      assert.equal(offsets.at(index + 1), undefined);
    }
    assert.deepEqual(
      places.map((_, index) => offsets.at(index)),
      places,
    );
  });

  it('take no memory once they are freed, without a collection', () => {
    const offsets = new Offsets();
    for (let place = 0; place < 1_000_000; place++) offsets.push(place);
    const before = process.memoryUsage().arrayBuffers;
    offsets.free();
    assert.equal(offsets.length, 0);
    assert.equal(offsets.at(0), undefined);
    assert.ok(before - process.memoryUsage().arrayBuffers > 3_800_000);
    offsets.push(7);
    assert.deepEqual([offsets.length, offsets.at(0), offsets.at(1)], [1, 7, undefined]);
  });
});
