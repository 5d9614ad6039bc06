import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperationError } from '../../src/core/errors.js';
import { countedFromOne, lineBaseOf, paramsCountedFrom } from '../../src/core/line-numbers.js';
import { operations, type Operation } from '../../src/core/operations.js';
import { validate } from '../../src/call/validation/index.js';

function row(name: string): Operation {
  const found = operations.get(name);
  assert.ok(found);
  return found;
}

describe('parameters of a caller who counts lines from 0', () => {
  const cases: readonly (readonly [title: string, name: string, given: unknown, counted: unknown])[] = [
    ['move by one', 'read_file', { name: 'a', start_line: 0, end_line: 4 }, { name: 'a', start_line: 1, end_line: 5 }],
    ['stay absent', 'read_file', { name: 'a' }, { name: 'a' }],
    [
      'move in every edit, where they are numbers',
      'edit_file',
      { name: 'a', edits: [{ line: 0, operation: 'delete' }, { line: 'x' }, 7, null] },
      { name: 'a', edits: [{ line: 1, operation: 'delete' }, { line: 'x' }, 7, null] },
    ],
    [
      'are left to the validation where they have another shape',
      'edit_file',
      { edits: { line: 1 } },
      { edits: { line: 1 } },
    ],
    ['do not exist in an operation without lines', 'list_files', { start_line: 1 }, { start_line: 1 }],
    ['are none of what is no object', 'read_file', [1], [1]],
  ];
  for (const [title, name, given, counted] of cases) {
    it(title, () => {
      const before = structuredClone(given);
      assert.deepEqual(countedFromOne(row(name), given, 0), counted);
      assert.deepEqual(countedFromOne(row(name), given, 1), given);
      assert.deepEqual(given, before, 'what was given is not changed');
    });
  }

  it('are described as they are counted', () => {
    const { start_line } = paramsCountedFrom(row('read_file'), 0).properties ?? {};
    assert.equal(start_line?.minimum, 0);
    assert.match(start_line.description ?? '', /from 0\./);
    const line = paramsCountedFrom(row('edit_file'), 0).properties?.['edits']?.items?.properties?.['line'];
    assert.equal(line?.minimum, 0);
    assert.match(line.description ?? '', /from 0\b.* n is the end/);
    assert.equal(paramsCountedFrom(row('edit_file'), 1), row('edit_file').params);
  });

  it('are refused by their own numbers', () => {
    const refused = validate(row('read_file'), { name: 'a', start_line: 0 }, 0);
    assert.equal(refused?.message, 'Line numbers must be non-negative integers');
    assert.equal(refused.details, 'Send a whole number from 0 up as /start_line.');
    const beside = validate(row('read_file'), { start_line: 0 }, 0);
    assert.match(beside?.details ?? '', /\/start_line must be a whole number from 0: .* count from 0/);
    const content = { edits: [{ line: 1, operation: 'delete', content: '' }], name: 'a' };
    assert.match(validate(row('edit_file'), content, 0)?.details ?? '', /line 0 a new text/);
    assert.match(validate(row('edit_file'), content, 1)?.details ?? '', /line 1 a new text/);
  });
});

describe('the first line', () => {
  it('is numbered by the front only for the files tools: all others count from 1', () => {
    for (const operation of operations.values()) {
      assert.equal(lineBaseOf(operation, 0), operation.toolset === 'files' ? 0 : 1, operation.name);
    }
  });
});

describe('an error that names lines', () => {
  const error = new OperationError('invalid_range', (shown) => `Line ${shown(9)}`, {
    details: (shown) => `Not ${shown(1)}.`,
  });

  it('uses the numbering of its reader', () => {
    assert.deepEqual([error.message, error.failure.message, error.failure.details], ['Line 9', 'Line 9', 'Not 1.']);
    assert.deepEqual([error.failureFrom(0).message, error.failureFrom(0).details], ['Line 8', 'Not 0.']);
  });
});
