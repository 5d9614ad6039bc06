import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkContents } from '../../src/validation/line-edits.js';

describe('the contents of line edits (contract 5.3)', () => {
  it('are needed by replace and insert, each that lacks one being named', () => {
    const refused = checkContents([
      { line: 1, operation: 'replace' },
      { line: 2, operation: 'insert', content: '' },
      { line: 3, operation: 'insert' },
    ]);
    assert.equal(
      refused?.message,
      'Invalid params: /edits/0 must have content for replace; /edits/2 must have content for insert',
    );
    assert.match(refused.details, /\.$/);
  });

  it('are named up to twenty times', () => {
    const refused = checkContents(Array.from({ length: 1000 }, (_, i) => ({ line: i + 1, operation: 'replace' })));
    assert.equal(refused?.message.match(/\/edits\//g)?.length, 20);
  });

  it('are forbidden to delete', () => {
    const refused = checkContents([{ line: 7, operation: 'delete', content: '' }]);
    assert.equal(refused?.message, 'Delete operation cannot specify content');
    assert.match(refused.details, /\/edits\/0.*line 7/);
  });

  it('are right as the contract says', () => {
    assert.equal(
      checkContents([
        { line: 1, operation: 'delete' },
        { line: 2, operation: 'replace', content: 'x' },
      ]),
      null,
    );
  });
});
