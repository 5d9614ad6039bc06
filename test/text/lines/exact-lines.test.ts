import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { sourceOf } from '../../../workers/text/chunks.js';
import { chunkSize } from '../../../workers/text/kernel.js';
import { exactLines } from '../../../workers/text/lines/exact-lines.js';
import type { TextFacts } from '../../../workers/text/lines/scan.js';

interface Found {
  readonly text: string;
  readonly facts: TextFacts;
}

function linesIn(whole: string, startLine?: number, endLine?: number, most = Infinity, known?: TextFacts): Found {
  const wanted = { startLine, endLine, check: () => undefined, most, assertRoom: () => undefined };
  const { bytes, facts } = exactLines(sourceOf(Buffer.from(whole)), wanted, known);
  return { text: bytes.toString(), facts };
}

/** Each line with its separator. */
const split = (text: string): string[] => text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];

describe('verbatim lines of a text', () => {
  const part = fc.constantFrom('a', 'é', '😀', '\n', '\r', '\r\n', '\u2028', '\ufeff');

  it('are those of the file, wherever its chunks end', () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), fc.nat(30), fc.nat(20), (parts, before, start) => {
        // A few bytes less than a chunk, so the chunk ends at any place in the rest.
        const whole = `${'x'.repeat(chunkSize - before)}${parts.join('')}`;
        const lines = split(whole);
        const first = (start % lines.length) + 1;
        for (const last of [first, first + 1, undefined]) {
          const { text, facts } = linesIn(whole, first, last);
          assert.equal(text, lines.slice(first - 1, last).join(''));
          assert.equal(facts.totalLines, lines.length);
          assert.equal(linesIn(whole, first, last, Infinity, facts).text, text, 'the same with what is known of it');
        }
      }),
      { numRuns: 300 },
    );
  });

  it('stop at the useful limit, after a whole character', () => {
    const whole = `1\n${'é'.repeat(20)}\n`;
    for (const [most, expected] of [
      [7, 'ééé'],
      [6, 'éé'],
      [100, `${'é'.repeat(20)}\n`],
    ] as const) {
      assert.equal(linesIn(whole, 2, undefined, most).text, expected);
    }
  });
});
