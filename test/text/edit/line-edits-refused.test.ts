import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LineEdit } from '../../../src/core/operations.js';
import { applyLineEdits } from '../../../workers/text/edit/line-edits.js';
import { wholeOf } from '../../../workers/text/scattered-text.js';
import { BOM, insert, refusal, refused, remove, replace, upTo } from './specify.js';

describe('refused edits (spec 5.3 and 5.5)', () => {
  const fiveLines = '1\n2\n3\n4\n5\n';

  for (const [edit, message] of [
    [replace(9, 'x'), 'Line 9 out of range for replace operation'],
    [insert(9, 'x'), 'Line 9 out of range for insert operation'],
    [remove(9), 'Line 9 out of range for delete operation'],
    [replace(6, 'x'), 'Line 6 out of range for replace operation'],
    [remove(6), 'Line 6 out of range for delete operation'],
  ] as const) {
    test(message, () => {
      const error = refused(fiveLines, [replace(1, 'x'), edit]);
      assert.equal(error.message, message);
      assert.equal(error.failure.kind, 'invalid_range');
      assert.match(
        error.failure.details,
        edit.operation === 'insert' ? /\/edits\/1.* 1 to 6 / : /\/edits\/1.* 1 to 5 /,
      );
    });
  }

  test('the range of an insert is what the growth rule allows, and the details name it', () => {
    const cases: readonly [string, LineEdit[], number, number][] = [
      ['', [insert(3, 'x')], 0, 1],
      ['', [insert(1, 'a\nb'), insert(4, 'x')], 0, 3],
      [fiveLines, [insert(9, 'x'), insert(7, 'y'), insert(6, 'z')], 5, 8],
      [fiveLines, [remove(1), remove(2), insert(7, 'x')], 5, 6],
      [fiveLines, [replace(1, 'a\nb'), insert(8, 'x')], 5, 7],
    ];
    for (const [old, edits, totalLines, end] of cases) {
      const { details } = refused(old, edits).failure;
      assert.match(details, new RegExp(`takes lines 1 to ${end} here, and ${end} puts text at the end\\.`));
      assert.match(
        details,
        new RegExp(`had ${totalLines} lines .* after line ${totalLines + 1} go, in ascending order`),
      );
      const line = Math.max(...edits.map((edit) => edit.line));
      const corrected = edits.map((edit) => (edit.line === line ? { ...edit, line: end } : edit));
      assert.ok(wholeOf(applyLineEdits(Buffer.from(old), corrected, undefined).text).includes('x'));
    }
  });

  test('an empty file has no line to replace or delete', () => {
    for (const old of ['', BOM]) {
      assert.equal(refused(old, [replace(1, 'x')]).message, 'Line 1 out of range for replace operation');
      assert.match(refused(old, [remove(1)]).failure.details, /no lines/);
    }
  });

  test('two replaces or deletes of one line conflict', () => {
    for (const pair of [
      [replace(2, 'x'), replace(2, 'x')],
      [replace(2, 'x'), remove(2)],
      [remove(2), replace(2, 'x')],
      [remove(2), remove(2)],
    ]) {
      const error = refused(fiveLines, [insert(2, 'a'), ...pair]);
      assert.equal(error.message, 'Conflicting edits on line 2');
      assert.equal(error.failure.kind, 'invalid_params');
      assert.match(error.failure.details, /\/edits\/1 and \/edits\/2/);
    }
  });

  test('of a range, the first line that is not there is named', () => {
    for (const [edit, message] of [
      [upTo(20, replace(2, 'x')), 'Line 20 out of range for replace operation'],
      [upTo(6, remove(5)), 'Line 6 out of range for delete operation'],
      [upTo(20, remove(9)), 'Line 9 out of range for delete operation'],
    ] as const) {
      const error = refused(fiveLines, [edit]);
      assert.equal(error.message, message);
      assert.equal(error.failure.kind, 'invalid_range');
      assert.match(error.failure.details, /\/edits\/0.* 1 to 5 /);
    }
  });

  test('a reversed range is refused before its lines are looked for', () => {
    for (const edit of [upTo(3, replace(5, 'x')), upTo(3, remove(5)), upTo(3, remove(99))]) {
      const error = refused(fiveLines, [edit]);
      assert.equal(error.message, `Invalid line range: start ${edit.line} > end 3`);
      assert.equal(error.failure.kind, 'invalid_range');
      assert.match(error.failure.details, /\/edits\/0/);
      assert.match(refused('', [edit]).message, /^Invalid line range/);
    }
  });

  test('ranges that share a line conflict on the first one that they share', () => {
    for (const [line, ...edits] of [
      [3, upTo(4, replace(1, 'x')), upTo(5, remove(3))],
      [3, upTo(5, remove(3)), upTo(4, replace(1, 'x'))],
      [2, upTo(5, remove(1)), replace(2, 'x')],
      [5, remove(5), upTo(5, remove(2))],
      [1, remove(5), remove(2), remove(1), upTo(5, remove(1))],
      [2, remove(4), remove(2), upTo(5, remove(1))],
    ] as const) {
      const { message, failure } = refused(fiveLines, edits);
      assert.equal(message, `Conflicting edits on line ${line}`);
      assert.equal(failure.kind, 'invalid_params');
      assert.match(failure.details, /can be replaced or deleted once/);
    }
  });

  test('an insert inside a range conflicts with it', () => {
    for (const line of [3, 4]) {
      for (const edits of [
        [insert(line, 'x'), upTo(4, remove(2))],
        [upTo(4, replace(2, 'y')), insert(line, 'x')],
      ]) {
        const { message, failure } = refused(fiveLines, edits);
        assert.equal(message, `Conflicting edits on line ${line}`);
        assert.match(failure.details, /\/edits\/0 and \/edits\/1: nothing can be inserted between/);
      }
    }
  });

  test('the first edit that contradicts an earlier one is reported', () => {
    const { message, failure } = refused(fiveLines, [remove(5), remove(5), remove(1), remove(1)]);
    assert.equal(message, 'Conflicting edits on line 5');
    assert.match(failure.details, /\/edits\/0 and \/edits\/1/);
  });

  test('a refusal leaves the old bytes unchanged', () => {
    const bytes = Buffer.from(fiveLines);
    refusal(() => applyLineEdits(bytes, [replace(1, 'x'), insert(99, 'y')], 'z'));
    assert.equal(bytes.toString(), fiveLines);
  });
});
