import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Pattern } from '../../workers/search/pattern.js';
import { FileSearch } from '../../workers/search/search-file.js';
import { withDirectory } from '../directory.js';

describe('a search of files', () => {
  // Memory of the limit counts as used: V8 collected all garbage 70 times in a search of this repository.
  it('takes memory for the files that it meets, not for the largest that may be', () =>
    withDirectory({ 'a.txt': `${'x'.repeat(2_000_000)}\nfound\n`, 'b.txt': 'found\n' }, (directory) => {
      const pattern = new Pattern({ pattern: 'found', literal: true, ignoreCase: false });
      const files = new FileSearch(pattern, { column: 0, remembered: [] }, Buffer.alloc(0), 1_000_000_000, false);
      for (const name of ['a.txt', 'b.txt']) {
        const steps = files.inListed(
          join(directory, name),
          { after: 0, limit: 1, context: 0, characters: 1_000 },
          false,
        );
        let step = steps.next();
        while (step.done !== true) step = steps.next();
        assert.ok(typeof step.value === 'object' && step.value.count === 1);
      }
      assert.equal(files.buffer.length, 2_000_007);
    }));
});
