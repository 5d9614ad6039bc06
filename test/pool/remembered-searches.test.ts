import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RememberedSearches } from '../../src/pool/remembered-searches.js';

describe('the searches that are remembered', () => {
  it('give no column away while a search is under way that reads it', () => {
    const searches = new RememberedSearches(65_536);
    const wider = searches.use({ pattern: 'imp' });
    wider.release();
    const narrower = searches.use({ pattern: 'import' });
    assert.deepEqual(narrower.memory.remembered, [{ text: 'imp', column: wider.memory.column }]);
    const others = (): Set<number> => {
      const uses = Array.from({ length: 12 }, (_, index) => searches.use({ pattern: `other ${String(index)}` }));
      for (const use of uses) use.release();
      return new Set(uses.flatMap(({ memory }) => (memory.memory === undefined ? [] : [memory.column])));
    };
    const taken = others();
    assert.ok(!taken.has(wider.memory.column) && !taken.has(narrower.memory.column));
    assert.equal(taken.size, 4);
    narrower.release();
    assert.equal(others().size, 6);
  });
});
