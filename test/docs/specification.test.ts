/** Comments cite the specification as `spec 5.5`: each such section exists, so that the reference leads somewhere. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { page } from './newcomer.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const sections = new Set(
  Array.from(page('docs/specification.md').matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm), ([, number]) => number),
);

/** The sections that the files of a folder cite: `spec 5.5`, `spec 7, 8`, `spec 11 and 15`. */
function citedIn(folder: string): readonly { readonly file: string; readonly section: string }[] {
  const files = readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(repository, folder, file), 'utf8');
      const cited = text.matchAll(/\bspec (\d+(?:\.\d+)?(?:(?:, | and )\d+(?:\.\d+)?)*)/gi);
      return Array.from(cited, ([, numbers = '']) => numbers.split(/, | and /))
        .flat()
        .map((section) => ({ file: join(folder, file), section }));
    });
}

describe('docs/specification.md', () => {
  for (const folder of ['src', 'workers', 'test', 'bench']) {
    it(`has every section that ${folder} cites`, () => {
      const cited = citedIn(folder);
      assert.ok(cited.length > 0);
      assert.deepEqual(
        cited.filter(({ section }) => !sections.has(section)),
        [],
      );
    });
  }
});
