import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applyLineEdits } from '../../../workers/text/edit/line-edits.js';
import { wholeOf } from '../../../workers/text/scattered-text.js';
import { BOM, insert, remove, replace, specify } from './specify.js';

describe('separators of new and replaced lines (spec 4)', () => {
  specify([
    [
      'untouched lines keep their bytes and their own separators',
      'a\r\nb\rc\nd\r\n',
      [replace(3, 'x')],
      'a\r\nb\rx\nd\r\n',
    ],
    [
      'new lines get the dominant separator \\r\\n',
      '1\r\n2\r\n3\n',
      [insert(3, 'x\ny')],
      '1\r\n2\r\nx\r\ny\r\n3\nz\r\n',
      'z\n',
    ],
    ['… or \\r', '1\r2\r3\n', [insert(1, 'x')], 'x\r1\r2\r3\n'],
    ['… or \\n', '1\n2\n3\r\n', [insert(4, 'x')], '1\n2\n3\r\nx\n'],
    ['ties: \\n', '1\r\n2\n', [insert(1, 'x')], 'x\n1\r\n2\n'],
    ['ties of \\r\\n and \\r: \\n too', '1\r\n2\r', [insert(1, 'x\r\ny')], 'x\ny\n1\r\n2\r'],
    ['a file of one line without separator is a tie: \\n', '1', [], '1\na\n', 'a\r\n'],
    [
      'the dominant separator is that of the file before the request',
      '1\r\n2\n3\n',
      [remove(2), remove(3)],
      '1\r\nx\ny\n',
      'x\r\ny\r\n',
    ],
    [
      'a replaced line keeps its own separator',
      '1\n2\r\n3\n4\r5\n',
      [replace(2, 'x'), replace(4, 'y')],
      '1\nx\r\n3\ny\r5\n',
    ],
    ['… behind the last line of its replacement', '1\n2\r\n3\n', [replace(2, 'x\ny\r\nz')], '1\nx\ny\nz\r\n3\n'],
    ['an empty file takes the dominant separator of what is written to it', '', [], 'a\r\nb\r\nc\r\n', 'a\r\nb\r\nc\n'],
    [
      '… of ALL that is written, final separators too',
      '',
      [insert(1, 'a\r\n'), insert(2, 'b\r\n')],
      'a\r\nb\r\nc\r\n',
      'c\n',
    ],
    ['… ties: \\n', '', [insert(1, 'a\r\nb')], 'a\nb\nc\nd\n', 'c\nd'],
    ['… \\r', '', [], 'a\rb\r', 'a\rb'],
    ['… nothing that says anything: \\n', '', [insert(1, 'a')], 'a\nb\n', 'b'],
    ['a file of only a BOM has no separator either: as an empty file', BOM, [], `${BOM}a\r\nb\r\n`, 'a\r\nb'],
    [
      'an empty new line ended by \\n behind a line that ends in a lone \\r: bytes as the rules say, though both read as one \\r\\n',
      '1\r2\n3\n',
      [insert(2, '')],
      '1\r\n2\n3\n',
    ],
    ['… an untouched empty line keeps its bytes too', '1\r2\n\n', [remove(2)], '1\r\n'],
  ]);
});

describe('the separator after the last line (spec 4)', () => {
  specify([
    ['a new last line ends with one if the file did: insert', '1\n', [insert(2, 'x')], '1\nx\n'],
    ['… append', '1\n', [], '1\nx\n', 'x'],
    ['… replace', '1\n', [replace(1, 'x')], 'x\n'],
    ['… all lines deleted, then append', '1\n2\n', [remove(1), remove(2)], 'x\n', 'x'],
    ['a new last line ends with none if the file did not: insert', '1', [insert(2, 'x')], '1\nx'],
    ['… append', '1\n2', [], '1\n2\nx', 'x'],
    ['… replace', '1\n2', [replace(2, 'x')], '1\nx'],
    ['… replace by several lines', '1\n2', [replace(2, 'x\ny\n')], '1\nx\ny'],
    ['… an insert before a deleted last line', '1\n2', [insert(2, 'x'), remove(2)], '1\nx'],
    ['… all lines deleted, then append', '1\n2', [remove(1), remove(2)], 'x', 'x'],
    ['… a deleted last line, then append', '1\n2', [remove(2)], '1\nx', 'x'],
    ['… and a replaced line that has become the last one gives up its own', '1\n2', [replace(1, 'x'), remove(2)], 'x'],
    ['a replaced last line keeps its own separator', '1\n2\r\n', [replace(2, 'x')], '1\nx\r\n'],
    ['an untouched line that has become the last one keeps its own', '1\n2', [remove(2)], '1\n'],
    ['an untouched last line without one stays without', '1\n2', [insert(2, 'x'), replace(1, 'y')], 'y\nx\n2'],
    [
      'lines put behind a last line without one add the separator between: the dominant one',
      '1\r\n2',
      [],
      '1\r\n2\r\nx',
      'x',
    ],
    [
      '… behind a replaced last line without one too',
      '1\r\n2',
      [replace(2, 'x'), insert(3, 'y')],
      '1\r\nx\r\ny\r\nz',
      'z',
    ],
    ['what is written to an empty file ends with one: insert', '', [insert(1, 'x')], 'x\n'],
    ['… append', '', [], 'x\n', 'x'],
    ['… an empty line', '', [insert(1, '')], '\n'],
    ['… a file of only a BOM', BOM, [insert(1, 'x')], `${BOM}x\n`],
    ['append text that ends with one leaves one', '1', [], '1\nx\n', 'x\n'],
    ['… the dominant one of the file', '1\r\n2', [], '1\r\n2\r\nx\r\n', 'x\n'],
    ['… an empty line', '1', [], '1\n\n', '\n'],
    ['content of an insert that ends with one does not', '1', [insert(2, 'x\n')], '1\nx'],
    ['an empty last line without a separator leaves nothing after it', '1\n2', [replace(2, '')], '1\n'],
    ['… an inserted one only the separator between', '1', [insert(2, '')], '1\n'],
    ['… and a file of one such line is empty', '1', [replace(1, '')], ''],
  ]);
});

describe('an empty result', () => {
  specify([
    ['all lines deleted: an empty file', '1\r\n2', [remove(1), remove(2)], ''],
    ['all lines deleted: only the BOM', `${BOM}1\n2\n`, [remove(2), remove(1)], BOM],
  ]);

  test('it has 0 lines', () => {
    assert.equal(applyLineEdits(Buffer.from('1\n'), [remove(1)], undefined).totalLines, 0);
    assert.equal(applyLineEdits(Buffer.from(`${BOM}1`), [remove(1)], undefined).totalLines, 0);
  });
});

describe('a byte order mark (spec 4)', () => {
  specify([
    ['stays first when line 1 is replaced', `${BOM}1\n2\n`, [replace(1, 'x')], `${BOM}x\n2\n`],
    ['… when lines are inserted before it', `${BOM}1\n2\n`, [insert(1, 'x')], `${BOM}x\n1\n2\n`],
    ['… when it is deleted', `${BOM}1\n2\n`, [remove(1)], `${BOM}2\n`],
    ['… when the file had no lines', BOM, [], `${BOM}x\n`, 'x'],
    [
      'is not doubled by a first line that is given with one: replace',
      `${BOM}1\n`,
      [replace(1, `${BOM}x`)],
      `${BOM}x\n`,
    ],
    ['… insert', `${BOM}1\n`, [insert(1, `${BOM}x\ny`)], `${BOM}x\ny\n1\n`],
    ['… append behind lines that are all deleted', `${BOM}1\n`, [remove(1)], `${BOM}x\n`, `${BOM}x`],
    ['… a line that is only one', `${BOM}1\n`, [replace(1, BOM)], `${BOM}\n`],
    ['… of two given, one is the text of the line', `${BOM}1\n`, [replace(1, `${BOM}${BOM}x`)], `${BOM}${BOM}x\n`],
    ['a file without one gets the one given', '1\n', [replace(1, `${BOM}x`)], `${BOM}x\n`],
    ['… a new file too', '', [], `${BOM}x\n`, `${BOM}x`],
    ['given elsewhere it is text', `${BOM}1\n2\n`, [replace(2, `${BOM}x`)], `${BOM}1\n${BOM}x\n${BOM}y\n`, `${BOM}y`],
    ['in an untouched line it is text that is kept', `${BOM}1\n${BOM}2\n`, [remove(1)], `${BOM}${BOM}2\n`],
  ]);

  test('a file of one line that is reduced to its byte order mark has 0 lines, as a read reports', () => {
    const { text, totalLines } = applyLineEdits(Buffer.from('1'), [replace(1, BOM)], undefined);
    assert.deepEqual([wholeOf(text).toString(), totalLines], [BOM, 0]);
  });
});
