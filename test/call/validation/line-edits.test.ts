import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rows } from '../../../src/core/operations.js';
import { validate } from '../../../src/call/validation/index.js';
import { checkEdits } from '../../../src/call/validation/line-edits.js';

describe('the content of line edits (spec 5.3)', () => {
  it('is required by replace and insert, and each edit that lacks it is named', () => {
    const refused = checkEdits([
      { line: 1, operation: 'replace' },
      { line: 2, operation: 'insert', content: '' },
      { line: 3, operation: 'insert' },
    ]);
    assert.equal(refused?.message, 'Invalid params: /edits/0 needs content to replace (and 1 more)');
    assert.match(refused.details, /^"" is one empty line.* \/edits\/2 needs content to insert\. /);
  });

  it('are named up to twenty times', () => {
    const refused = checkEdits(Array.from({ length: 1000 }, (_, i) => ({ line: i + 1, operation: 'replace' })));
    assert.equal(refused?.message, 'Invalid params: /edits/0 needs content to replace (and 19 more)');
    assert.equal(refused.details.match(/\/edits\//g)?.length, 19);
  });

  it('is forbidden for delete', () => {
    const refused = checkEdits([{ line: 7, operation: 'delete', content: '' }]);
    assert.equal(refused?.message, 'Delete operation cannot specify content');
    assert.match(refused.details, /\/edits\/0.*line 7/);
  });

  it('is reported for each edit if some lack it and others must not have it; the first sets the wording', () => {
    const forbidden = { line: 7, operation: 'delete', content: '' } as const;
    const missing = { line: 8, operation: 'insert' } as const;
    const first = checkEdits([forbidden, missing]);
    assert.equal(first?.message, 'Delete operation cannot specify content');
    assert.match(first.details, /\/edits\/0.* \/edits\/1 needs content to insert\.$/);
    const second = checkEdits([missing, forbidden]);
    assert.equal(second?.message, 'Invalid params: /edits/0 needs content to insert (and 1 more)');
    assert.match(second.details, / \/edits\/1 must not have content for delete\. /);
  });

  it('does not make up for an end_line, which insert does not take', () => {
    const ranged = { line: 7, end_line: 8, operation: 'insert', content: 'x' } as const;
    const refused = checkEdits([{ line: 1, end_line: 2, operation: 'delete' }, ranged]);
    assert.equal(refused?.message, 'Insert operation cannot specify end_line');
    assert.match(refused.details, /^Leave end_line out of \/edits\/1 .* line 7, or use replace/);
    assert.match(checkEdits([ranged], 0)?.details ?? '', / line 6, /, "in the caller's base");
    const both = checkEdits([{ line: 7, end_line: 7, operation: 'insert' }]);
    assert.equal(both?.message, 'Insert operation cannot specify end_line');
    assert.match(both.details, / \/edits\/0 needs content to insert\.$/);
  });

  it('is reported together with schema violations', () => {
    const edit_file = rows.edit_file;
    const edits = [{ line: 0, operation: 'replace' }, 5, { line: 'x', operation: 'delete', content: 'y' }];
    const { message, details = '' } = validate(edit_file, { name: 'a', edits }) ?? {};
    assert.equal(message, 'Invalid params: /edits/0/line must be a whole number from 1 (and 4 more)');
    for (const problem of [
      '/edits/1 must be an object, not a number: ',
      '/edits/2/line must be a whole number from 1, not a string. ',
      '/edits/0 needs content to replace: ',
      '/edits/2 must not have content for delete. ',
    ]) {
      assert.ok(details.includes(problem), problem);
    }
  });

  it('is checked as the specification says', () => {
    assert.equal(
      checkEdits([
        { line: 1, operation: 'delete' },
        { line: 2, operation: 'replace', content: 'x' },
      ]),
      null,
    );
  });
});
