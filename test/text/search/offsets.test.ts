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
});
