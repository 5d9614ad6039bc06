import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { Registry } from '../../src/pool/registry.js';

describe('a registry', () => {
  it('holds what came and has not gone, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 50 }), (moves) => {
        const registry = new Registry<number>();
        const there = new Map<number, () => void>();
        for (const [item, move] of moves.entries()) {
          const [gone] = [...there].at(move % (there.size + 2)) ?? [];
          if (gone === undefined) there.set(item, registry.add(item));
          else {
            there.get(gone)?.();
            there.delete(gone);
          }
          assert.deepEqual(registry.items().sort(), [...there.keys()].sort());
        }
      }),
    );
  });
});
