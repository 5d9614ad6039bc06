import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  beginCounts,
  beginText,
  chunkSize,
  countChunk,
  escapeChunk,
  input,
  keepMargin,
  margin,
  output,
  pairsIn,
  separatorCounts,
  skipSeparators,
} from '../../workers/text/kernel.js';

// Characters stand for bytes (latin1).
const alphabets = {
  prose: 'The quick brown fox jumps over the lazy dog. \n',
  separators: '\r\n',
  'few separators': 'abcdefghijklmnop\r\n',
  special: '"\\\b\t\n\f\r\x1f\x7f\x00',
  'beside special': '\x20\x21\x23\x5b\x5d\x1f\x80\xa2\xdc\x8d\x8a',
  'parts of U+2028': '\xe2\x80\xa8\xa9',
  all: Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join(''),
};

function textOf(alphabet: string, length: number): string {
  return Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** Put a text somewhere into the chunk, as if the chunk began there. @returns its end */
function put(text: string, start = 0): number {
  // The bytes after it must not matter.
  input.fill('\n', start, Math.min(start + text.length + 64, chunkSize));
  if (start === 0) beginText();
  else input[start - 1] = 0;
  return start + input.write(text, start, 'latin1');
}

function escapedByKernel(start: number, end: number): string {
  return output.toString('latin1', 0, escapeChunk(start, end));
}

function escaped(text: string): string {
  return JSON.stringify(text.replace(/\r\n?/g, '\n'))
    .slice(1, -1)
    .replaceAll('\xe2\x80\xa8', '\\u2028')
    .replaceAll('\xe2\x80\xa9', '\\u2029');
}

/** The end of each separator, as the kernel counts: a \r\n after its \r. */
function separatorEnds(text: string): number[] {
  return [...text.matchAll(/\r\n?|\n/g)].map(({ index }) => index + 1);
}

/** The bytes of a text in UTF-8, one character each. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function forEachText(check: (text: string, start: number) => void): void {
  for (const alphabet of Object.values(alphabets)) {
    for (let length = 0; length <= 300; length++) check(textOf(alphabet, length), length % 64);
    for (let start = 0; start < 64; start++) check(textOf(alphabet, 100 + start), start);
  }
}

describe('escaping', () => {
  it('matches JSON.stringify and escapes U+2028 and U+2029, at every length and alignment', () => {
    forEachText((text, start) => {
      assert.equal(escapedByKernel(start, put(text, start)), escaped(text));
    });
  });

  it('recognizes each byte at each position of a block', () => {
    for (let byte = 0; byte < 256; byte++) {
      for (let place = 0; place < 40; place++) {
        const text = `${'x'.repeat(place)}${String.fromCharCode(byte)}${'y'.repeat(80 - place)}`;
        assert.equal(escapedByKernel(0, put(text)), escaped(text));
      }
    }
  });

  it('handles the largest possible number of escapes', () => {
    for (const unit of ['\x01', '"', '\n', '\r', '\r\n', '\\', '\x1f"', 'x\n', '\r\n\n']) {
      const text = unit.repeat(chunkSize).slice(0, chunkSize);
      assert.ok(escapedByKernel(0, put(text)) === escaped(text), `wrong for a chunk of ${JSON.stringify(unit)}`);
    }
  });

  it('does not count a \\n that follows a \\r at the end of the chunk or margin before', () => {
    const end = put('\r\n\nx');
    assert.equal(escapedByKernel(1, end), '\\nx');
    margin[margin.length - 1] = 0x0d;
    assert.equal(escapedByKernel(0, put('\nx\n', 0)), '\\nx\\n', 'a text that begins has nothing before it');
    margin[margin.length - 1] = 0x0d;
    assert.equal(escapedByKernel(0, 3), 'x\\n');
  });

  it('writes U+2028, and what begins like it, with the chunk in which it ends', () => {
    for (const [character, expected] of [
      ['\u2028', '\\u2028'],
      ['\u2029', '\\u2029'],
      ['\u2027', bytesOf('\u2027')],
      ['\u20ac', bytesOf('\u20ac')],
    ] as const) {
      for (let before = 0; before <= 3; before++) {
        const text = `${'x'.repeat(chunkSize - before)}${bytesOf(character)}y`;
        put(text.slice(0, chunkSize));
        const first = escapedByKernel(0, chunkSize);
        keepMargin();
        const end = input.write(text.slice(chunkSize), 'latin1');
        const both = first + escapedByKernel(0, end);
        assert.ok(
          both === `${'x'.repeat(chunkSize - before)}${expected}y`,
          `${expected}, ${String(before)} bytes before`,
        );
      }
    }
  });

  it('writes an incomplete character at the end of a text, where its reader detects it', () => {
    for (const begun of ['\xe2', '\xe2\x80']) assert.equal(escapedByKernel(0, put(`x${begun}`)), `x${begun}`);
  });
});

describe('separators', () => {
  const countsOf = (text: string): Record<string, number> => ({
    '\n': (text.match(/(?<!\r)\n/g) ?? []).length,
    '\r\n': (text.match(/\r\n/g) ?? []).length,
    '\r': (text.match(/\r(?!\n)/g) ?? []).length,
  });

  it('of all three kinds are counted, at every length', () => {
    forEachText((text) => {
      const end = put(text);
      beginCounts();
      assert.equal(countChunk(end), separatorEnds(text).length);
      assert.deepEqual(separatorCounts(), countsOf(text));
    });
  });

  it('are counted in chunks of nothing else', () => {
    for (const unit of ['\n', '\r', '\r\n', 'x\r\n', '\n\r']) {
      const text = unit.repeat(chunkSize).slice(0, chunkSize);
      put(text);
      beginCounts();
      assert.equal(countChunk(chunkSize), separatorEnds(text).length);
      assert.deepEqual(separatorCounts(), countsOf(text));
    }
  });

  it('are added up across chunks', () => {
    beginCounts();
    countChunk(put('a\nb\r\n'));
    countChunk(put('\r\n\r\n\rx'));
    assert.deepEqual(separatorCounts(), { '\n': 1, '\r\n': 3, '\r': 1 });
  });

  it('are found by number, at every length and alignment', () => {
    forEachText((text, start) => {
      const end = put(text, start);
      const ends = [start, ...separatorEnds(text).map((offset) => start + offset)];
      for (const [number, expected] of ends.entries()) assert.equal(skipSeparators(start, end, number), expected);
      assert.equal(skipSeparators(start, end, ends.length), end);
    });
  });
});

describe('pairs of bytes', () => {
  it('are found at their distance, in both cases where a mask says so', () => {
    for (let round = 0; round < 2_000; round++) {
      const length = round % 90;
      const distance = 1 + (round % 20);
      const text = textOf('aAbB-', length);
      // What was in the chunk before must not matter.
      input.fill('a', 0, 128);
      const small = text.toLowerCase();
      const expected = Array.from(text, (_, at) => at).filter((at) => small[at] === 'a' && text[at + distance] === 'b');
      const first = { byte: 0x61, mask: 0x20 };
      assert.deepEqual(Array.from(pairsIn(Buffer.from(text), first, { byte: 0x62, mask: 0 }, distance)), expected);
    }
  });
});
