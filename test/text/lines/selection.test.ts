import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperationError } from '../../../src/core/errors.js';
import { sourceOf, type Source } from '../../../workers/text/chunks.js';
import { chunkSize } from '../../../workers/text/kernel.js';
import { select, type WantedRange } from '../../../workers/text/lines/selection.js';
import { hashOf } from '../../../workers/text/text-file.js';
import { linesOf } from '../edit/oracle.js';
import { contentOf, readText, selectLines } from './read-text.js';
import { BOM, refusal } from '../edit/specify.js';

const wantAll: WantedRange = { startLine: undefined, endLine: undefined, check: () => undefined, tail: () => '"}' };
const lines = (startLine: number, endLine: number): WantedRange => ({ ...wantAll, startLine, endLine });

/** Lines of all kinds, so characters and separators are at different places in every chunk. */
function mixedText(size: number): string {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < size; index++) {
    const separator = ['\n', '\r\n', '\r', '\n\n', '\r\r\n'][index % 5] ?? '';
    const part = `${'line é 漢 😀 "\\\u0001 '.repeat(index % 7)}${String(index)}${separator}`;
    parts.push(part);
    length += Buffer.byteLength(part);
  }
  return parts.join('');
}

function selected(text: string, startLine: number, endLine: number): string {
  const content = linesOf(text)
    .slice(startLine - 1, endLine)
    .map((line) => line.text)
    .join('\n');
  return startLine === 1 && text.startsWith(BOM) ? BOM + content : content;
}

describe('a text of several chunks', () => {
  it('may be cut anywhere: in a separator, in a character, beside an escape', () => {
    const patterns = ['\r\n', '\r\r\n\n', '\n\r', 'é', '漢', '😀', '"\\', '\u0001', '\u2028', 'a\r\nb', '😀\r\n😀'];
    for (const pattern of patterns) {
      const length = Buffer.byteLength(pattern);
      for (let cut = 0; cut <= length; cut++) {
        const text = `${'x'.repeat(chunkSize - cut)}${pattern}${'y'.repeat(chunkSize - length + cut - 1)}${pattern}z`;
        const { content, totalLines } = readText(text);
        const all = linesOf(text).map((line) => line.text);
        assert.ok(content === all.join('\n'), `${JSON.stringify(pattern)} cut at ${cut}`);
        assert.equal(totalLines, all.length);
        for (const line of all.keys()) {
          assert.ok(readText(text, line + 1, line + 1).content === all[line], `line ${line + 1} at ${cut}`);
        }
      }
    }
  });

  it('may end at the end of a chunk', () => {
    for (const end of ['x', '\n', '\r', '\r\n', '\n\n', 'é', '"']) {
      for (const chunks of [1, 2]) {
        const text = `${'x'.repeat(chunks * chunkSize - Buffer.byteLength(end))}${end}`;
        const all = linesOf(text).map((line) => line.text);
        for (const { content, totalLines } of [readText(text), readText(text, 1), readText(text, 1, 9)]) {
          assert.ok(content === all.join('\n'), JSON.stringify(end));
          assert.equal(totalLines, all.length);
        }
      }
    }
  });

  it('is delivered only up to the useful limit, and ends with a whole character', () => {
    const most = chunkSize;
    for (const text of ['é'.repeat(chunkSize) + '\n', `x${'漢😀'.repeat(chunkSize)}`, '\u0001'.repeat(5 * chunkSize)]) {
      const bytes = Buffer.from(`first\n${text}`);
      for (const startLine of [undefined, 2]) {
        const tail = (): string => '","more":1}';
        const wanted = { startLine, endLine: undefined, check: () => undefined, tail, most };
        const { json, content, facts } = select(sourceOf(bytes), bytes.length, wanted);
        assert.equal(facts.hash, hashOf(bytes));
        assert.ok(content.length > most && content.length < most + 7 * chunkSize, String(content.length));
        const answer = JSON.parse(json.toString()) as { content: string };
        assert.ok(!answer.content.includes('\ufffd'));
        assert.ok((startLine === 2 ? text : `first\n${text}`).startsWith(answer.content));
      }
    }
  });

  it('is delivered as JSON.stringify would, with its hash', () => {
    for (const text of [mixedText(400_000), BOM + mixedText(200_000), 'x'.repeat(300_000)]) {
      const { json, content, facts } = selectLines(Buffer.from(text));
      const expected = JSON.stringify(selected(text, 1, Infinity));
      assert.ok(json.equals(Buffer.from(`{"content":${expected}}`)));
      assert.ok(content.equals(Buffer.from(expected)));
      assert.equal(facts.hash, hashOf(Buffer.from(text)));
    }
  });

  it('gives every window, also from the facts of an earlier read', () => {
    const text = BOM + mixedText(300_000);
    const bytes = Buffer.from(text);
    const total = linesOf(text).length;
    const { facts } = selectLines(bytes);
    for (let start = 1; start <= total; start += 211) {
      for (const length of [1, 2, 10, 1000, total]) {
        const end = start + length - 1;
        const expected = selected(text, start, end);
        for (const known of [facts, undefined]) {
          assert.ok(contentOf(select(sourceOf(bytes), bytes.length, lines(start, end), known)) === expected);
        }
      }
    }
  });

  it('is read only inside the window once its facts are known', () => {
    const bytes = Buffer.from('0123456789abcde\n'.repeat(100_000));
    const { facts } = selectLines(bytes);
    let read = 0;
    const source: Source = (target, position) => {
      const length = bytes.copy(target, 0, position);
      read += length;
      return length;
    };
    assert.equal(
      contentOf(select(source, bytes.length, lines(50_000, 50_001), facts)),
      '0123456789abcde\n0123456789abcde',
    );
    assert.ok(read < 2 * chunkSize, `${read} bytes`);
  });

  it('refuses a start past the end without reading once its facts are known', () => {
    const { facts } = selectLines(Buffer.from('x\n'.repeat(100_000)));
    const source: Source = () => assert.fail('was read');
    const { message } = refusal(() => select(source, 200_000, lines(100_001, 100_002), facts));
    assert.equal(message, 'Start line 100001 exceeds file length 100000');
  });
});

describe('UTF-8 in several chunks', () => {
  const passes = (bytes: Buffer): boolean => {
    try {
      selectLines(bytes);
      return true;
    } catch (error) {
      assert.ok(error instanceof OperationError && error.failure.kind === 'not_utf8', String(error));
      return false;
    }
  };
  const wrong = ['ff', '80', 'c080', 'c3', 'eda080', 'e282', 'f0908f', 'f4908080', 'f09f98', 'e28228', 'c3e9'];

  it('is checked across chunk borders', () => {
    for (const hex of wrong) {
      for (let cut = -4; cut <= 4; cut++) {
        const text = Buffer.concat([Buffer.alloc(chunkSize + cut, 'x'), Buffer.from(hex, 'hex'), Buffer.from('y')]);
        assert.equal(passes(text), false, `${hex} at ${cut}`);
      }
    }
  });

  it('must be complete at the end of the text, even if a chunk ends there', () => {
    for (const character of ['é', '漢', '😀']) {
      const bytes = Buffer.from(character);
      for (let kept = 1; kept <= bytes.length; kept++) {
        for (const before of [chunkSize - kept, chunkSize - 1, 2 * chunkSize - kept, 5]) {
          const text = Buffer.concat([Buffer.alloc(before, 'x'), bytes.subarray(0, kept)]);
          assert.equal(passes(text), kept === bytes.length, `${character}, ${kept} bytes of it behind ${before}`);
        }
      }
    }
  });

  it('is checked in a window too, whose text may have changed since its facts were gathered', () => {
    const bytes = Buffer.from('line\n'.repeat(50_000));
    const { facts } = selectLines(bytes);
    bytes[5 * 30_000] = 0xff;
    const window = (start: number, end: number): unknown =>
      select(sourceOf(bytes), bytes.length, lines(start, end), facts);
    assert.equal(refusal(() => window(30_000, 30_010)).failure.kind, 'not_utf8');
    assert.equal(refusal(() => window(10_000, 40_000)).failure.kind, 'not_utf8');
    window(1, 10);
  });
});

describe('the memory of an answer', () => {
  it('begins with the answer and is not shared', () => {
    for (const text of ['', 'a\nb', 'x'.repeat(3 * chunkSize)]) {
      const { json, content } = selectLines(Buffer.from(text));
      assert.equal(json.byteOffset, 0);
      assert.equal(content.buffer, json.buffer);
      assert.ok(json.buffer.byteLength <= json.length * 1.25 + 512, 'no pool of other buffers');
    }
  });

  it('is exactly as large as a small answer, also for a window into a large text', () => {
    const large = Buffer.from('x\n'.repeat(100_000));
    for (const { json } of [selectLines(Buffer.from('a"b\n')), selectLines(large, 7, 9)]) {
      assert.equal(json.buffer.byteLength, json.length);
    }
  });

  it('grows for a text of many escapes', () => {
    for (const unit of ['"', '\u0001', '\n', 'x"', '\r\n', `${'x'.repeat(chunkSize * 3)}\u0001`]) {
      const text = unit.repeat(Math.ceil((4 * chunkSize) / unit.length)) + 'é';
      const { json } = selectLines(Buffer.from(text));
      const expected = Buffer.from(`{"content":${JSON.stringify(selected(text, 1, Infinity))}}`);
      assert.ok(json.equals(expected), JSON.stringify(unit.slice(-2)));
      assert.ok(json.buffer.byteLength <= Math.max(expected.length, text.length * 1.25) + 512);
    }
  });

  it('grows for a window of many escapes', () => {
    const text = `${'x\n'.repeat(40_000)}${'"\n'.repeat(200_000)}`;
    const bytes = Buffer.from(text);
    const { facts } = selectLines(bytes);
    const answer = select(sourceOf(bytes), bytes.length, lines(60_000, 200_000), facts);
    assert.ok(contentOf(answer) === selected(text, 60_000, 200_000));
  });

  it('grows for a text of unknown size, and again if the text changes after it was measured', () => {
    const bytes = Buffer.alloc(4 * chunkSize, 'x');
    let reads = 0;
    const source: Source = (target, position) => {
      // One measurement covers this much: beyond it there is more to escape.
      if (++reads === 6) bytes.fill('"');
      return bytes.copy(target, 0, position);
    };
    const { json } = select(source, 0, wantAll);
    assert.match((JSON.parse(json.toString()) as { content: string }).content, /^x+"+$/);
    assert.ok(reads > 10, 'it was not measured twice');
  });
});
