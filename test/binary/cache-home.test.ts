import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { cacheHome } from '../../src/binary/unpacked.js';

const home = resolve('/home/somebody');
const fallback = resolve(home, '.cache');
const cases: readonly [string, string | undefined, string][] = [
  ['is where XDG_CACHE_HOME says', resolve('/var/cache'), resolve('/var/cache')],
  ['is ~/.cache if it says nothing', undefined, fallback],
  ['is ~/.cache if it is empty', '', fallback],
  ['is ~/.cache if it is relative, and never in the current directory', 'cache', fallback],
  ['is ~/.cache if it begins with a dot', './cache', fallback],
];

describe('the folder for caches', () => {
  for (const [title, configured, expected] of cases) {
    it(title, () => {
      assert.equal(cacheHome({ XDG_CACHE_HOME: configured }, home), expected);
    });
  }
});
