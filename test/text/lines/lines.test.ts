import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countLines } from '../../../workers/text/lines/lines.js';
import { readText as read, refusedText as refused } from './read-text.js';
import { BOM } from '../edit/specify.js';

describe('line counting (spec 4)', () => {
  for (const [text, lines, why] of [
    ['', 0, 'an empty file has 0 lines'],
    ['\n', 1, '"\\n" has 1'],
    ['a', 1, 'a last line needs no separator'],
    ['a\n', 1, 'a final separator ends the last line and starts none'],
    ['a\n\n', 2, 'an empty last line has a separator'],
    ['a\r\nb\r\n', 2, '\\r\\n is one separator'],
    ['a\rb\r', 2, 'a lone \\r is a separator'],
    ['\r', 1, 'a lone \\r at the very end'],
    ['a\r', 1, 'a lone \\r behind the last line'],
    ['\n\r', 2, '\\n\\r is two separators'],
    ['\r\r\n', 2, '\\r\\r\\n is \\r and \\r\\n'],
    ['a\rb\nc\r\nd', 4, 'all three mixed'],
    ['a\u2028b\u2029c\u0085d\ve\ff', 1, 'U+2028, U+2029, U+0085, VT and FF are not separators'],
    ['a\0b\n\0', 2, 'NUL is a character like others'],
    [BOM, 0, 'a file of only a BOM has 0'],
    [`${BOM}\n`, 1, 'a BOM and an empty line'],
    [`${BOM}${BOM}`, 1, 'a second BOM is text of line 1'],
    [`${BOM}a\nb`, 2, 'a BOM belongs to the file, not to line 1'],
  ] as const) {
    test(`${why}: ${JSON.stringify(text)}`, () => {
      assert.equal(countLines(Buffer.from(text)), lines);
      assert.equal(read(text).totalLines, lines);
    });
  }

  test('ten million empty lines', () => {
    assert.equal(countLines(Buffer.alloc(10_000_000, '\n')), 10_000_000);
    assert.equal(countLines(Buffer.alloc(10_000_000, '\r\n')), 5_000_000);
  });
});

describe('reading (spec 4 and 5.2)', () => {
  test('the lines are joined by \\n, without a final separator', () => {
    assert.deepEqual(read('a\nb\n'), { content: 'a\nb', totalLines: 2 });
    assert.deepEqual(read('a\r\nb\rc\nd'), { content: 'a\nb\nc\nd', totalLines: 4 });
    assert.deepEqual(read('a\r\n\r\n\r\r'), { content: 'a\n\n\n', totalLines: 4 });
    assert.deepEqual(read('\r\n'), { content: '', totalLines: 1 });
  });

  test('every other code point comes back unchanged', () => {
    const text = 'é漢😀\0\u2028\u2029\u0085\v\f\t $& \uFFFF e\u0301';
    assert.equal(read(`${text}\r\n${text}`).content, `${text}\n${text}`);
  });

  test('both bounds are inclusive', () => {
    assert.equal(read('1\n2\n3\n4\n', 2, 3).content, '2\n3');
    assert.equal(read('1\n2\n3\n4\n', 2, 2).content, '2');
    assert.equal(read('1\n2\n3\n4\n', 3).content, '3\n4');
    assert.equal(read('1\n2\n3\n4\n', undefined, 2).content, '1\n2');
    assert.equal(read('1\r\n2\r\n3', 2, 3).content, '2\n3');
    assert.equal(read('1\n\n3', 2, 2).content, '');
  });

  test('total_lines counts the whole file also for a range', () => {
    assert.equal(read('1\n2\r3\r\n4', 1, 1).totalLines, 4);
  });

  test('end_line past the end is clamped', () => {
    assert.equal(read('1\n2', 1, 9).content, '1\n2');
    assert.equal(read('1\n2\n', 2, Number.MAX_SAFE_INTEGER).content, '2');
    assert.deepEqual(read('', undefined, 9), { content: '', totalLines: 0 });
  });

  test('a BOM is delivered whenever line 1 is', () => {
    assert.equal(read(`${BOM}a\nb`).content, `${BOM}a\nb`);
    assert.equal(read(`${BOM}a\r\nb`).content, `${BOM}a\nb`);
    assert.equal(read(`${BOM}a\nb`, 1, 1).content, `${BOM}a`);
    assert.equal(read(`${BOM}a\nb`, undefined, 1).content, `${BOM}a`);
    assert.equal(read(`${BOM}\n`, 1, 1).content, BOM);
  });

  test('a BOM is not delivered with other lines', () => {
    assert.equal(read(`${BOM}a\nb`, 2).content, 'b');
    assert.equal(read(`${BOM}a\nb`, 2, 2).content, 'b');
  });

  test('a BOM is delivered if the file has no lines', () => {
    assert.deepEqual(read(BOM), { content: BOM, totalLines: 0 });
    assert.deepEqual(read(BOM, undefined, 3), { content: BOM, totalLines: 0 });
  });

  test('U+FEFF elsewhere is text', () => {
    assert.equal(read(`a\n${BOM}b`, 2).content, `${BOM}b`);
    assert.equal(read(`${BOM}${BOM}a\n`).content, `${BOM}${BOM}a`);
  });
});

describe('ranges that are refused (spec 5.5)', () => {
  test('start > end', () => {
    const { message, failure } = refused('1\n2\n3\n4\n5', 5, 3);
    assert.equal(message, 'Invalid line range: start 5 > end 3');
    assert.equal(failure.kind, 'invalid_range');
    assert.match(failure.details, /1 to 5/);
  });

  test('start > end is told before start past the end', () => {
    assert.equal(refused('', 9, 3).message, 'Invalid line range: start 9 > end 3');
  });

  test('start past the end', () => {
    const { message, failure } = refused('1\n2\n3\n4\n5\n', 9, undefined);
    assert.equal(message, 'Start line 9 exceeds file length 5');
    assert.equal(failure.kind, 'invalid_range');
    assert.match(failure.details, /1 to 5/);
    assert.equal(refused('1\n', 2, 7).message, 'Start line 2 exceeds file length 1');
  });

  test('a file without lines has no line 1', () => {
    for (const text of ['', BOM]) {
      const { message, failure } = refused(text, 1);
      assert.equal(message, 'Start line 1 exceeds file length 0');
      assert.match(failure.details, /leave start_line out/);
    }
  });
});
