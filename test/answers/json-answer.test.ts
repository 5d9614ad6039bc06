import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { sourceOf } from '../../workers/text/chunks.js';
import { exactJson } from '../../workers/answers/exact-json.js';
import { select } from '../../workers/text/lines/selection.js';

const makers: Readonly<Record<string, (text: Buffer) => Buffer>> = {
  'of all lines': (text) => select(sourceOf(text), text.length, wanted(undefined)).json,
  'of a window': (text) => select(sourceOf(text), text.length, wanted(2)).json,
  'byte for byte': (text) => exactJson(text, '"}').json,
};

function wanted(startLine: number | undefined): Parameters<typeof select>[2] {
  return { startLine, endLine: undefined, check: () => undefined, tail: () => '"}' };
}

/** The content of an answer made by either function. */
function expected(text: string, kind: string): string {
  if (kind === 'byte for byte') return text;
  const lines = text.replace(/(?:\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/);
  return lines.slice(kind === 'of a window' ? 1 : 0).join('\n');
}

describe('text as JSON', () => {
  for (const [kind, make] of Object.entries(makers)) {
    it(`escapes line separators (${kind}) wherever they stand, because lenient readers break lines there`, () => {
      const unit = fc.constantFrom('\u2028', '\u2029', '€', '\r', '\n', '"', '\u0001', 'ab');
      const around = fc.array(unit, { maxLength: 40 }).map((units) => units.join(''));
      fc.assert(
        fc.property(around, around, fc.nat(70), fc.nat(2), (before, after, less, chunks) => {
          const filler = 'x'.repeat(Math.max(0, chunks * 65_536 - less));
          const text = Buffer.from(`\n\n${filler}${before}${filler}${after}`);
          const json = make(text).toString();
          assert.doesNotMatch(json, /[\u2028\u2029]/);
          const { content } = JSON.parse(json) as { content: string };
          assert.ok(content === expected(text.toString(), kind));
        }),
        { numRuns: 200 },
      );
    });
  }
});
