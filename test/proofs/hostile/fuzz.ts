/** Noise for every parser that clients can reach. */
import fc from '../../fast-check.js';
import { targets } from '../../reliability/fuzz-targets.js';
import { say } from './report.js';

/** @throws Error with the smallest input that breaks a promise, and the seed that finds it again */
export async function fuzz(inputs: number, seed: number): Promise<void> {
  for (const [name, property] of Object.entries(targets)) {
    const began = performance.now();
    await fc.assert(property, { numRuns: inputs, seed });
    const seconds = Math.round((performance.now() - began) / 1000);
    say(`noise for ${name}`, `${String(inputs)} inputs, ${String(seconds)} s, none broke a promise`);
  }
}
