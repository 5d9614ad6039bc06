import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sourceOf } from '../../workers/text/chunks.js';
import { exactJson } from '../../workers/text/exact-json.js';
import type { AssertFits } from '../../workers/text/json-answer.js';
import { select } from '../../workers/text/lines/selection.js';

/** What follows the content, and the separator that a selection may end with. */
const mostBehind = 300;

const makers: Readonly<Record<string, (text: Buffer, assertFits: AssertFits) => Buffer>> = {
  'of all lines': (text, assertFits) => select(sourceOf(text), text.length, { ...wanted(undefined), assertFits }).json,
  'of a window': (text, assertFits) => select(sourceOf(text), text.length, { ...wanted(2), assertFits }).json,
  'byte for byte': (text, assertFits) => exactJson(text, '"}', assertFits).json,
};

function wanted(startLine: number | undefined): Omit<Parameters<typeof select>[2], 'assertFits'> {
  return { startLine, endLine: undefined, check: () => undefined, tail: () => '"}' };
}

/** The content of an answer that one of them makes. */
function expected(text: string, kind: string): string {
  if (kind === 'byte for byte') return text;
  const lines = text.replace(/(?:\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/);
  return lines.slice(kind === 'of a window' ? 1 : 0).join('\n');
}

const parts = fc.array(
  fc.tuple(
    fc.constantFrom('\0', 'x', 'é', '"', '\u2028', '\n', '\r\n', '\u001f\n'),
    fc.integer({ min: 1, max: 900_000 }),
  ),
  { minLength: 2, maxLength: 4 },
);

describe('an answer that becomes much longer than its text', () => {
  for (const [kind, make] of Object.entries(makers)) {
    it(`is told as long as it will be, but for its end, before it is made (${kind})`, () => {
      let told = 0;
      fc.assert(
        fc.property(parts, (given) => {
          const text = Buffer.from(`\n\n${given.map(([unit, count]) => unit.repeat(count)).join('')}`);
          const lengths: number[] = [];
          const { length } = make(text, (bytes) => lengths.push(bytes));
          for (const each of lengths) {
            assert.ok(each <= length && each >= length - mostBehind, `${String(each)} of ${String(length)}`);
          }
          if (length > text.length + 1_048_576 + mostBehind) assert.ok(lengths.length > 0);
          told += lengths.length;
        }),
        { numRuns: 30 },
      );
      assert.ok(told > 0);
    });

    it(`escapes what lenient readers take for a line break, at any place (${kind})`, () => {
      const unit = fc.constantFrom('\u2028', '\u2029', '€', '\r', '\n', '"', '\u0001', 'ab');
      const around = fc.array(unit, { maxLength: 40 }).map((units) => units.join(''));
      fc.assert(
        fc.property(around, around, fc.nat(70), fc.nat(2), (before, after, less, chunks) => {
          const filler = 'x'.repeat(Math.max(0, chunks * 65_536 - less));
          const text = Buffer.from(`\n\n${filler}${before}${filler}${after}`);
          const json = make(text, () => undefined).toString();
          assert.doesNotMatch(json, /[\u2028\u2029]/);
          const { content } = JSON.parse(json) as { content: string };
          assert.ok(content === expected(text.toString(), kind));
        }),
        { numRuns: 200 },
      );
    });

    it(`is not made if it does not fit (${kind})`, () => {
      const text = Buffer.alloc(10_000_000, '\0');
      text.fill('\n', 0, 2);
      let memory = 0;
      const before = process.memoryUsage().arrayBuffers;
      assert.throws(
        () =>
          make(text, (bytes) => {
            assert.ok(bytes > 59_999_000);
            memory = process.memoryUsage().arrayBuffers - before;
            throw new RangeError('it does not fit');
          }),
        /^RangeError: it does not fit$/,
      );
      assert.ok(memory < 20_000_000, `${String(memory)} bytes`);
    });
  }
});
