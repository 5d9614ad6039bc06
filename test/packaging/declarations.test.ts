import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { keepReachable } from '../../src/packaging/declarations.js';
import { withDirectory } from '../directory.js';

describe('the declarations of the package', () => {
  const ways: readonly [string, string][] = [
    ['an import', "import type { Part } from './inner/part.js';\nexport type Whole = Part;\n"],
    ['an export', "export { Part } from './inner/part.js';\n"],
    ['an import that was written in a type', "export type Whole = import('./inner/part.js').Part;\n"],
    ['one that tsc has put there', 'export declare const whole: import("./inner/part.js").Part;\n'],
  ];
  for (const [title, text] of ways) {
    it(`are exactly those reachable from ${title}`, () =>
      withDirectory({ 'index.d.ts': text, 'inner/part.d.ts': '', 'gone.d.ts': '' }, async (folder) => {
        await keepReachable(folder, ['index.d.ts']);
        const left = await readdir(folder, { recursive: true });
        assert.deepEqual(left.sort(), ['index.d.ts', 'inner', join('inner', 'part.d.ts')]);
      }));
  }
});
