import type { TestContext } from 'node:test';

/** Repeatable randomness: the same seed makes the same choices. */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** Randomness whose seed appears in the report of `test`; the environment variable SEED repeats a run. */
export function seeded(test: TestContext): Random {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32)) >>> 0;
  test.diagnostic(`SEED=${String(seed)}`);
  return randomFrom(seed);
}

/** mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    between,
    pick: (items) => {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}
