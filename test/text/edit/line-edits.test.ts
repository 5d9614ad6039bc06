import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LineEdit } from '../../../src/core/operations.js';
import { applyLineEdits } from '../../../workers/text/edit/line-edits.js';
import { wholeOf } from '../../../workers/text/scattered-text.js';
import { BOM, edited, insert, refused, remove, replace, specify, upTo } from './specify.js';

function modified(old: string, edits: readonly LineEdit[], append?: string): number {
  return applyLineEdits(Buffer.from(old), edits, append).linesModified;
}

describe('line numbers (spec 5.3)', () => {
  specify([
    ['replace a line', '1\n2\n3\n', [replace(2, 'x')], '1\nx\n3\n'],
    ['insert goes before the line', '1\n2\n3\n', [insert(2, 'x')], '1\nx\n2\n3\n'],
    ['delete a line', '1\n2\n3\n', [remove(2)], '1\n3\n'],
    ['insert at n+1 goes to the end', '1\n2\n', [insert(3, 'x')], '1\n2\nx\n'],
    [
      'every line means the file before the request: edits never shift each other',
      '1\n2\n3\n4\n5\n',
      [remove(1), insert(3, 'x\ny'), replace(4, 'z'), remove(5)],
      '2\nx\ny\n3\nz\n',
    ],
    [
      'the order of edits of different lines in the request does not matter',
      '1\n2\n3\n',
      [replace(3, 'z'), remove(2), insert(1, 'a')],
      'a\n1\nz\n',
    ],
    [
      'several inserts at one line keep their order in the request',
      '1\n2\n',
      [insert(2, 'a'), insert(2, 'b'), insert(2, 'c')],
      '1\na\nb\nc\n2\n',
    ],
    ['… at n+1 too', '1\n', [insert(2, 'a'), insert(2, 'b')], '1\na\nb\n'],
    ['… in an empty file too', '', [insert(1, 'a'), insert(1, 'b')], 'a\nb\n'],
    [
      'an insert and a replace of one line: the insert goes before, whatever comes first in the request',
      '1\n2\n3\n',
      [replace(2, 'x'), insert(2, 'before'), insert(1, 'a'), replace(1, 'b')],
      'a\nb\nbefore\nx\n3\n',
    ],
    [
      'an insert and a delete of one line: the insert stands in its place',
      '1\n2\n3\n',
      [remove(2), insert(2, 'x')],
      '1\nx\n3\n',
    ],
  ]);
});

describe('ranges of lines (spec 5.3)', () => {
  specify([
    ['are replaced as one block', '1\n2\n3\n4\n', [upTo(3, replace(2, 'x'))], '1\nx\n4\n'],
    ['are removed', '1\n2\n3\n4\n', [upTo(3, remove(1))], '4\n'],
    ['of one line are that line', '1\n2\n3\n', [upTo(2, replace(2, 'x\ny')), upTo(3, remove(3))], '1\nx\ny\n'],
    ['can be the whole file', '1\n2\n3', [upTo(3, replace(1, 'x\ny'))], 'x\ny'],
    ['leave an empty file when all is removed', '1\r\n2\r\n', [upTo(2, remove(1))], ''],
    ['keep the separator of the last of their lines', '1\n2\r\n3\r4\n', [upTo(3, replace(1, 'x\ny'))], 'x\ny\r4\n'],
    ['leave a byte order mark in place', `${BOM}1\n2\n3\n`, [upTo(2, replace(1, `${BOM}x`))], `${BOM}x\n3\n`],
    [
      'mean the file before the request, whatever else shifts it',
      '1\n2\n3\n4\n5\n6\n',
      [insert(1, 'a\nb'), remove(1), upTo(6, replace(5, 'z')), upTo(3, remove(2))],
      'a\nb\n4\nz\n',
    ],
    [
      'can have inserts right before and right after them',
      '1\n2\n3\n4\n',
      [insert(4, 'after'), upTo(3, replace(2, 'x')), insert(2, 'before')],
      '1\nbefore\nx\nafter\n4\n',
    ],
    ['can give way to a text at the end', '1\n2\n', [upTo(2, remove(1)), insert(3, 'x')], 'x\ny\n', 'y'],
  ]);
});

describe('inserts beyond n+1 (spec 5.3)', () => {
  specify([
    [
      'one call inserts lines 1, 2, 3 … into an empty file',
      '',
      [insert(1, 'line1'), insert(2, 'line2'), insert(3, 'line3'), insert(4, 'line4'), insert(5, 'line5')],
      'line1\nline2\nline3\nline4\nline5\n',
    ],
    ['they are applied in ascending order', '', [insert(3, 'c'), insert(1, 'a'), insert(2, 'b')], 'a\nb\nc\n'],
    ['an insert at n+1 makes room for one at n+2', '1\n', [insert(3, 'y'), insert(2, 'x')], '1\nx\ny\n'],
    [
      'they go before line L of the text reached so far',
      '1\n',
      [insert(1, 'a\nb\nc'), insert(3, 'x')],
      'a\nb\nx\nc\n1\n',
    ],
    ['… which may be an old line', '1\n2\n', [insert(1, 'a\nb'), insert(4, 'x')], 'a\nb\n1\nx\n2\n'],
    ['… or lie inside a replacement', '1\r\n2\n', [replace(1, 'a\nb\nc\nd'), insert(4, 'x')], 'a\nb\nc\nx\nd\r\n2\n'],
    ['… or inside another insert further out', '', [insert(1, 'a'), insert(2, 'b\nc'), insert(3, 'x')], 'a\nb\nx\nc\n'],
    [
      'equal lines are applied in request order, each before line L of the text reached: the later one comes to stand first',
      '',
      [insert(1, 'a'), insert(2, 'b'), insert(2, 'c')],
      'a\nc\nb\n',
    ],
    ['append comes after all edits, these too', '', [insert(1, 'a'), insert(2, 'b')], 'a\nb\nz\n', 'z'],
    ['a last line without separator gets one', '1', [insert(2, 'x'), insert(3, 'y')], '1\nx\ny'],
    ['an empty line can be split off', '1\n', [insert(1, 'a\n\n\n\n'), insert(4, 'x')], 'a\n\n\nx\n\n1\n'],
  ]);

  test('line L is allowed up to the line count reached so far + 1, and refused beyond', () => {
    assert.equal(edited('1\n', [insert(2, 'x\ny'), insert(4, 'z')]), '1\nx\ny\nz\n');
    assert.equal(
      refused('1\n', [insert(2, 'x\ny'), insert(5, 'z')]).message,
      'Line 5 out of range for insert operation',
    );
    assert.equal(refused('', [insert(2, 'x')]).message, 'Line 2 out of range for insert operation');
  });

  test('appended lines do not count', () => {
    assert.equal(refused('1\n', [insert(3, 'x')], 'a\nb\nc').message, 'Line 3 out of range for insert operation');
  });

  test('deleted lines do not count', () => {
    assert.equal(refused('1\n2\n', [remove(1), remove(2), insert(4, 'x')]).failure.kind, 'invalid_range');
  });
});

describe('content (spec 5.3)', () => {
  specify([
    ['content may hold several lines', '1\n2\n', [replace(1, 'a\nb\nc')], 'a\nb\nc\n2\n'],
    ['a final separator is dropped', '1\n2\n', [replace(1, 'a\n'), insert(2, 'b\r\n')], 'a\nb\n2\n'],
    ['only one final separator is', '1\n2\n', [replace(1, 'a\n\n')], 'a\n\n2\n'],
    ['"" is one empty line', '1\n2\n', [replace(1, ''), insert(2, '')], '\n\n2\n'],
    ['"\\n" is one empty line', '1\n2\n', [replace(1, '\n'), insert(2, '\r')], '\n\n2\n'],
    ['every kind of separator splits it', '1\n2\n', [insert(2, 'a\r\nb\rc\nd')], '1\na\nb\nc\nd\n2\n'],
    [
      'U+2028, U+0085, VT and FF do not',
      '1\r\n2\r\n',
      [replace(1, 'a\u2028b\u0085c\vd\fe')],
      'a\u2028b\u0085c\vd\fe\r\n2\r\n',
    ],
    ['new text is taken as it is', '1\n', [replace(1, '$& $1 \\n \0 😀 é')], '$& $1 \\n \0 😀 é\n'],
  ]);

  test('long content is written correctly where its chunks meet, whatever is there', () => {
    for (const mark of ['\r\n', '\r\r\n', '\n\r', '😀', '\r😀', '漢']) {
      for (let length = 16_380; length <= 16_386; length++) {
        const content = 'x'.repeat(length) + mark + 'y'.repeat(20_000) + mark + 'é'.repeat(20_000);
        const lines = content.split(/\r\n?|\n/).join('\r\n');
        assert.ok(edited('1\r\n2\r\n', [replace(2, content)]) === `1\r\n${lines}\r\n`, JSON.stringify([mark, length]));
      }
    }
  });
});

describe('append (spec 5.3)', () => {
  specify([
    ['append comes after all edits', '1\n2\n', [insert(3, 'a'), remove(1)], '2\na\nz\n', 'z'],
    ['it may hold several lines', '1\n', [], '1\na\nb\n', 'a\nb'],
    ['"" appends nothing', '1', [], '1', ''],
    ['"" appends nothing to an empty file', '', [], '', ''],
    ['"\\n" is one empty line', '1\n', [], '1\n\n', '\n'],
    ['… also in an empty file', '', [], '\n', '\n'],
    ['only one final separator is dropped', '1\n', [], '1\na\n\n', 'a\n\n'],
  ]);
});

describe('lines_modified (spec 5.3)', () => {
  test('counts lines replaced + inserted + deleted + appended', () => {
    assert.equal(modified('1\n2\n3\n', [replace(1, 'x'), insert(2, 'y\nz'), remove(3)], 'a\nb\nc\n'), 1 + 2 + 1 + 3);
  });

  test('counts the lines that a replacement removes or those that it brings, whichever are more', () => {
    const lines = '\n'.repeat(20);
    assert.equal(modified(lines, [replace(1, '1\n2\n3')]), 3);
    assert.equal(modified(lines, [upTo(12, replace(2, '1\n2'))]), 11);
    assert.equal(modified(lines, [upTo(3, replace(2, '1\n2\n3'))]), 3);
    assert.equal(modified(lines, [upTo(12, remove(2)), insert(2, '1\n2')]), 13);
  });
});

describe('a request that changes nothing', () => {
  for (const [name, old, edits, append] of [
    ['no edits', '1\n', [], undefined],
    ['no edits and an empty append', '1\r\n', [], ''],
    ['a missing file and nothing to write', '', [], ''],
    ['lines replaced by themselves', `${BOM}1\r\n2\n`, [replace(1, `${BOM}1`), replace(2, '2\n')], undefined],
    ['a line deleted and inserted again', '1\n2\n', [remove(2), insert(2, '2')], undefined],
  ] as const) {
    test(`returns the original bytes themselves: ${name}`, () => {
      const bytes = Buffer.from(old);
      assert.equal(applyLineEdits(bytes, edits, append).text, bytes);
    });
  }
});

test('a thousand edits of ten million empty lines', () => {
  const old = Buffer.alloc(10_000_000, '\n');
  const edits = Array.from({ length: 1000 }, (_, index) => replace(10_000 * (index + 1), 'x'));
  const { text, totalLines, linesModified } = applyLineEdits(old, edits, undefined);
  const bytes = wholeOf(text);
  assert.deepEqual([bytes.length, totalLines, linesModified], [10_001_000, 10_000_000, 1000]);
  assert.equal(bytes.indexOf('x'), 9_999);
  assert.equal(bytes.lastIndexOf('x'), bytes.length - 2);
});
