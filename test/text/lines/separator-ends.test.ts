import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chunkSize } from '../../../workers/text/kernel.js';
import { findSeparators, separatorBefore } from '../../../workers/text/lines/separator-ends.js';

/** The end of each separator. */
function endsOf(text: string): number[] {
  return [...text.matchAll(/\r\n?|\n/g)].map((match) => match.index + match[0].length);
}

function assertFound(text: string, step: number): void {
  const bytes = Buffer.from(text, 'latin1');
  const expected = endsOf(text);
  const wanted = Array.from({ length: Math.ceil((expected.length + 3) / step) }, (_, index) => index * step);
  const { ends, summary } = findSeparators(bytes, wanted);
  const { separators, totalLines, ended } = summary;
  for (const number of wanted.filter((one) => one > 0)) assert.equal(ends.get(number), expected[number - 1]);
  assert.equal(separators['\n'] + separators['\r\n'] + separators['\r'], expected.length);
  assert.equal(separators['\r\n'], text.split('\r\n').length - 1);
  assert.equal(totalLines, expected.length + (/[^\r\n]$/.test(text) ? 1 : 0));
  assert.equal(ended, /[\r\n]$/.test(text));
}

describe('separator ends in a text', () => {
  it('are found in texts of all lengths', () => {
    for (const unit of ['\n', '\r', '\r\n', 'a\n', 'line\r\n', '\n\r', '\r\r\n', 'x'.repeat(50) + '\r\n']) {
      for (const length of [0, 1, 2, 3, 15, 16, 17, 100, 5000, 3 * chunkSize]) {
        const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
        for (const step of length < 200 ? [1, 2, 3] : [97]) assertFound(text, step);
      }
    }
  });

  it('are found when a chunk is cut in or next to them', () => {
    for (const separator of ['\n', '\r', '\r\n', '\r\r\n', '\n\r', '\r\n\r\n']) {
      for (let cut = 0; cut <= separator.length; cut++) {
        const middle = `${separator}${'y'.repeat(chunkSize - separator.length)}${separator}`;
        assertFound(`a\n${'x'.repeat(chunkSize - cut - 2)}${middle}z`, 1);
        assertFound(`${'x'.repeat(chunkSize - cut)}${separator}`, 1);
      }
    }
  });

  it('identify the separator', () => {
    const bytes = Buffer.from('a\nb\r\nc\rd\n\r');
    const before = [2, 5, 7, 9, 10].map((end) => separatorBefore(bytes, end));
    assert.deepEqual(before, ['\n', '\r\n', '\r', '\n', '\r']);
    assert.equal(separatorBefore(bytes, 0), '');
    assert.equal(separatorBefore(bytes, 1), '');
  });
});
