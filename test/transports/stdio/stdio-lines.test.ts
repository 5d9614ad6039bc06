import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { LineSplitter } from '../../../src/transports/stdio/line-splitter.js';

const tooLong = Symbol('too long');

/** The lines of these chunks and the end of the stream. */
function linesOf(chunks: Iterable<Buffer | string>, limit = 1000): (string | typeof tooLong)[] {
  const lines: (string | typeof tooLong)[] = [];
  const splitter = new LineSplitter(
    limit,
    (line) => lines.push(line.toString('latin1')),
    () => lines.push(tooLong),
  );
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return lines;
}

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

describe('splitting a byte stream into lines', () => {
  for (const [name, chunks, lines] of [
    ['nothing', [], []],
    ['one line', ['{}\n'], ['{}']],
    ['two in a chunk', ['1\n2\n'], ['1', '2']],
    ['no final newline', ['1\n2'], ['1', '2']],
    ['\\r\\n', ['1\r\n2\r\n'], ['1', '2']],
    ['\\r\\n cut in two', ['1\r', '\n2\r', '\n'], ['1', '2']],
    ['\\r\\n without its \\n at the end', ['1\r'], ['1']],
    ['a lone \\r is no end', ['1\r2\n'], ['1\r2']],
    ['only the last \\r goes', ['1\r\r\n'], ['1\r']],
    ['blank lines', ['\n\r\n \n\t \r\n\n1\n\n'], ['1']],
    ['a blank end', ['1\n \r'], ['1']],
    ['blanks around stay', [' 1 \n'], [' 1 ']],
    ['a character cut in two', [Buffer.from([0xc3]), Buffer.from([0xa9, 0x0a])], [utf8('é')]],
    ['empty chunks', ['', '1', '', '\n', ''], ['1']],
  ] as const) {
    it(name, () => {
      assert.deepEqual(linesOf(chunks), lines);
    });
  }

  it('works wherever it is cut into two chunks', () => {
    const stream = Buffer.from('{"a":"é日😀"}\r\n\n{"b":2}\n \r\n[]\r');
    const whole = linesOf([stream]);
    assert.deepEqual(whole, [utf8('{"a":"é日😀"}'), '{"b":2}', '[]']);
    for (let cut = 0; cut <= stream.length; cut++) {
      assert.deepEqual(linesOf([stream.subarray(0, cut), stream.subarray(cut)]), whole, `cut at ${String(cut)}`);
    }
  });

  it('works for any chunks and any limit', () => {
    const byte = fc.constantFrom(...Buffer.from('ab\n\n\r\t é'));
    fc.assert(
      fc.property(fc.array(byte), fc.array(fc.nat(60)), fc.nat(8), (bytes, cuts, limit) => {
        const stream = Buffer.from(bytes);
        const places = [0, ...cuts.filter((cut) => cut < stream.length).sort((a, b) => a - b), stream.length];
        const chunks = places.slice(1).map((end, index) => stream.subarray(places[index], end));
        const expected = stream
          .toString('latin1')
          .split('\n')
          .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
          .filter((line) => line.length > limit || !/^[ \t\r]*$/.test(line))
          .map((line) => (line.length > limit ? tooLong : line));
        assert.deepEqual(linesOf(chunks, limit), expected);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('a line longer than the limit', () => {
  it('exceeds it by one byte, whatever ends it', () => {
    assert.deepEqual(linesOf(['12345\n', '12345\r\n', '123', '45\r', '\n', '12345'], 5), Array(4).fill('12345'));
    assert.deepEqual(
      linesOf(['123456\n', '123456\r\n', '123', '456\r', '\n', '123456'], 5),
      Array<symbol>(4).fill(tooLong),
    );
    assert.deepEqual(linesOf(['1234\r\r\n', '12345\r\r\n'], 5), ['1234\r', tooLong]);
  });

  it('is reported once, as soon as it is known, and the next line is read', () => {
    const seen: string[] = [];
    const splitter = new LineSplitter(
      10,
      (line) => seen.push(line.toString()),
      () => seen.push('too long'),
    );
    splitter.push(Buffer.from('x'.repeat(15)));
    assert.deepEqual(seen, ['too long']);
    splitter.push(Buffer.from('x'.repeat(15)));
    splitter.push(Buffer.from('x\nnext\n'));
    assert.deepEqual(seen, ['too long', 'next']);
  });

  it('is not buffered: memory stays below the limit, also from a client that writes single bytes', () => {
    const limit = 1_048_576;
    const splitter = new LineSplitter(
      limit,
      () => undefined,
      () => undefined,
    );
    const chunk = Buffer.alloc(65_536, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let sent = 0; sent < 100 * limit; sent += chunk.length) splitter.push(chunk);
    splitter.push(Buffer.from('\n'));
    const byte = Buffer.from('x');
    for (let sent = 0; sent < limit; sent++) splitter.push(byte);
    const held = process.memoryUsage().arrayBuffers - before;
    // Outgrown buffers that are not yet collected count as well.
    assert.ok(held < 6 * limit, String(held));
  });
});
