import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rows } from '../../../src/core/operations.js';
import { validate } from '../../../src/call/validation/index.js';
import { checkContents } from '../../../src/call/validation/line-edits.js';

describe('the content of line edits (spec 5.3)', () => {
  it('is required by replace and insert, and each edit that lacks it is named', () => {
    const refused = checkContents([
      { line: 1, operation: 'replace' },
      { line: 2, operation: 'insert', content: '' },
      { line: 3, operation: 'insert' },
    ]);
    assert.equal(refused?.message, 'Invalid params: 2 problems');
    assert.match(
      refused.details,
      /^\/edits\/0 must have content for replace: "" is one empty line.* \/edits\/2 must have content for insert\. /,
    );
  });

  it('are named up to twenty times', () => {
    const refused = checkContents(Array.from({ length: 1000 }, (_, i) => ({ line: i + 1, operation: 'replace' })));
    assert.equal(refused?.details.match(/\/edits\//g)?.length, 20);
  });

  it('is forbidden for delete', () => {
    const refused = checkContents([{ line: 7, operation: 'delete', content: '' }]);
    assert.equal(refused?.message, 'Delete operation cannot specify content');
    assert.match(refused.details, /\/edits\/0.*line 7/);
  });

  it('is reported for each edit if some lack it and others must not have it; the first sets the wording', () => {
    const forbidden = { line: 7, operation: 'delete', content: '' } as const;
    const missing = { line: 8, operation: 'insert' } as const;
    const first = checkContents([forbidden, missing]);
    assert.equal(first?.message, 'Delete operation cannot specify content');
    assert.match(first.details, /\/edits\/0.* \/edits\/1 must have content for insert\.$/);
    assert.match(
      checkContents([missing, forbidden])?.details ?? '',
      /^\/edits\/0 must have content for insert: .* \/edits\/1 must not have content for delete\. /,
    );
  });

  it('is reported together with schema violations', () => {
    const edit_file = rows.edit_file;
    const edits = [{ line: 0, operation: 'replace' }, 5, { line: 'x', operation: 'delete', content: 'y' }];
    const { message, details = '' } = validate(edit_file, { name: 'a', edits }) ?? {};
    assert.equal(message, 'Invalid params: 5 problems');
    for (const problem of [
      '/edits/0/line must be a whole number from 1: ',
      '/edits/1 must be an object, not a number: ',
      '/edits/2/line must be a whole number from 1, not a string. ',
      '/edits/0 must have content for replace: ',
      '/edits/2 must not have content for delete. ',
    ]) {
      assert.ok(details.includes(problem), problem);
    }
  });

  it('is checked as the specification says', () => {
    assert.equal(
      checkContents([
        { line: 1, operation: 'delete' },
        { line: 2, operation: 'replace', content: 'x' },
      ]),
      null,
    );
  });
});
