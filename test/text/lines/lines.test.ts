import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countLines } from '../../../workers/text/lines/lines.js';
import { readText } from './read-text.js';
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
      assert.equal(readText(text).totalLines, lines);
    });
  }

  test('ten million empty lines', () => {
    assert.equal(countLines(Buffer.alloc(10_000_000, '\n')), 10_000_000);
    assert.equal(countLines(Buffer.alloc(10_000_000, '\r\n')), 5_000_000);
  });
});
