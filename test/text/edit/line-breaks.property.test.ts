/** Edits that may be forgiven have the same effect on a text with `\r\n` as on the same text with `\n` (spec 15). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../fast-check.js';
import { OperationError } from '../../../src/core/errors.js';
import type { TextEdit } from '../../../src/core/operations.js';
import { applyReplacements } from '../../../workers/text/edit/replacements.js';
import { wholeOf } from '../../../workers/text/scattered-text.js';

const lines = fc.string({ unit: fc.constantFrom('a', 'B', 'c', '\n'), minLength: 1, maxLength: 24 });
const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 });

/** Of a part of the text. A part that begins with `\n` is left out: with `\r\n` it is there too, after the `\r`. */
function editOf(old: string): fc.Arbitrary<TextEdit> {
  return fc
    .tuple(fc.nat(old.length), fc.integer({ min: 2, max: 6 }), lines, letters, fc.boolean(), fc.boolean())
    .map(([start, length, several, one, replace_all, case_insensitive]) => {
      const part = old.slice(start, start + length).replace(/^\n+/, '');
      const old_string = part === '' ? 'a' : part;
      // The line breaks of a new text are adapted together with those of the sought text.
      return { old_string, new_string: old_string.includes('\n') ? several : one, replace_all, case_insensitive };
    });
}

const request = lines.chain((old) => fc.tuple(fc.constant(old), fc.array(editOf(old), { minLength: 1, maxLength: 3 })));

const crlf = (text: string): string => text.replaceAll('\n', '\r\n');

interface Made {
  readonly text: string;
  readonly report?: unknown;
  readonly tookCrlf?: boolean;
}

function outcome(old: string, edits: readonly TextEdit[], mayTakeCrlf: boolean): Made {
  try {
    const { text, replacements, tookCrlf } = applyReplacements(Buffer.from(old), edits, false, { mayTakeCrlf });
    return { text: wholeOf(text).toString(), report: replacements, tookCrlf };
  } catch (error) {
    assert.ok(error instanceof OperationError);
    return { text: error.failure.kind };
  }
}

test('forgiven line breaks make no difference', () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(request, ([old, edits]) => {
      const { text, report } = outcome(old, edits, false);
      const { tookCrlf, ...forgiven } = outcome(crlf(old), edits, true);
      const isRefused = report === undefined;
      // An ambiguous match with other line breaks is not forgiven.
      if (isRefused) assert.ok(forgiven.report === undefined);
      else assert.deepEqual(forgiven, { text: crlf(text), report });
      seen.taken += tookCrlf === true ? 1 : 0;
      seen.refused += isRefused ? 1 : 0;
    }),
    { numRuns: 3_000 },
  );
  assert.ok(seen.taken > 300 && seen.refused > 300, JSON.stringify(seen));
});

test('only forgiven line breaks do: a text with \\n alone is edited as usual', () => {
  fc.assert(
    fc.property(request, ([old, edits]) => {
      assert.deepEqual(outcome(old, edits, true), outcome(old, edits, false));
    }),
  );
});
