import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { targets } from './fuzz-targets.js';

/** `npm run prove -- hostile --fuzz` tries a thousand times as many. */
const inputs = 300;

describe('noise of all kinds is refused or parsed correctly', () => {
  for (const [name, property] of Object.entries(targets)) {
    it(name, () => fc.assert(property, { numRuns: inputs }));
  }
});
