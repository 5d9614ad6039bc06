import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../fast-check.js';
import { OperationError } from '../../../src/core/errors.js';
import type { TextEdit } from '../../../src/core/operations.js';
import { applyReplacements, type ReplacedText } from '../../../workers/text/edit/replacements.js';
import { portionsOf, wholeOf } from '../../../workers/text/scattered-text.js';
import { replacedByOracle } from './replacement-oracle.js';

const unit = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'A', 'b', ' ', '\n') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\r\n', '\r', '\t', '\0', '\uFEFF', 'é', 'e\u0301', '漢', '😀', '👩‍👧', '$&', '\\', '.*'),
  },
  { weight: 1, arbitrary: fc.constantFrom('k', '\u212A', 's', 'ſ', 'ß', 'ẞ', 'Ⱥ', 'ⱥ', 'İ', 'ı', 'Σ', 'ς', '𐐀', '𐐨') },
);
const text = fc.array(unit, { maxLength: 30 }).map((units) => units.join(''));

/** Usually a substring of the text, sometimes in another case. */
function stringOf(old: string): fc.Arbitrary<string> {
  const characters = Array.from(old);
  const part = fc
    .tuple(fc.nat(characters.length), fc.integer({ min: 1, max: 5 }))
    .map(([start, length]) => characters.slice(start, start + length).join(''));
  const cased = part.map((one) => one.toUpperCase());
  return fc.oneof({ weight: 6, arbitrary: part }, { weight: 2, arbitrary: cased }, { weight: 1, arbitrary: text });
}

const added = fc.record({ at: fc.constantFrom('start', 'end'), new_string: fc.oneof(text, fc.constant('')) });

function editOf(old: string): fc.Arbitrary<TextEdit> {
  const options = { replace_all: fc.boolean(), case_insensitive: fc.boolean(), whole_word: fc.boolean() };
  const replaced = fc
    .tuple(stringOf(old), fc.oneof(text, stringOf(old)), fc.record(options, { requiredKeys: [] }))
    .map(([old_string, new_string, flags]) => ({ old_string, new_string, ...flags }));
  return fc.oneof({ weight: 3, arbitrary: replaced }, { weight: 1, arbitrary: added });
}

const request = text.chain((old) =>
  fc.record({
    old: fc.constant(old),
    edits: fc.array(editOf(old), { minLength: 1, maxLength: 4 }),
    replaceAll: fc.boolean(),
  }),
);

/** @returns the outcome: the kind of the failure, or success */
function compare(old: string, edits: readonly TextEdit[], replaceAll: boolean): string {
  const bytes = Buffer.from(old);
  let expected;
  try {
    expected = replacedByOracle(old, edits, replaceAll);
  } catch (error) {
    assert.ok(error instanceof Error);
    let refused: unknown;
    try {
      applyReplacements(bytes, edits, replaceAll);
    } catch (thrown) {
      refused = thrown;
    }
    assert.ok(refused instanceof OperationError, `not refused: ${error.message}`);
    assert.ok(refused.message.startsWith(error.message), `${refused.message}\n is not \n${error.message}`);
    assert.equal(bytes.toString(), old, 'the old bytes were written to');
    return refused.failure.kind;
  }
  const result = applyReplacements(bytes, edits, replaceAll);
  assert.equal(bytes.toString(), old, 'the old bytes were written to');
  assert.equal(JSON.stringify(wholeOf(result.text).toString()), JSON.stringify(expected.text));
  const pieces = Array.from(portionsOf(result.edited ?? bytes), (piece) => Buffer.from(piece));
  assert.ok(Buffer.concat(pieces).equals(wholeOf(result.text)), 'read in pieces it is the same');
  assert.equal(result.text === bytes, expected.text === old, 'old itself exactly if nothing changed');
  assert.deepEqual(result.replacements, expected.replacements);
  assert.equal(result.editsApplied, edits.length);
  assert.equal(
    result.totalReplacements,
    expected.replacements.reduce((sum, { count }) => sum + count, 0),
  );
  assertChanges(bytes, result);
  return 'success';
}

/** Text outside the changes is the same in both. */
function assertChanges(old: Buffer, { text, edited }: ReplacedText): void {
  const bytes = wholeOf(text);
  const parts: Buffer[] = [];
  let [oldEnd, newEnd] = [0, 0];
  for (const change of edited?.changes() ?? []) {
    parts.push(old.subarray(oldEnd, change.oldStart), bytes.subarray(change.newStart, change.newEnd));
    assert.equal(change.newStart - newEnd, change.oldStart - oldEnd);
    ({ oldEnd, newEnd } = change);
  }
  parts.push(old.subarray(oldEnd));
  assert.ok(Buffer.concat(parts).equals(bytes));
}

test('edits match the oracle, errors included, on 5,000 random texts and requests', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(request, ({ old, edits, replaceAll }) => {
      const what = compare(old, edits, replaceAll);
      seen.set(what, (seen.get(what) ?? 0) + 1);
      if (what === 'success' && edits.some((edit) => edit.case_insensitive)) {
        seen.set('folded', (seen.get('folded') ?? 0) + 1);
      }
      if (what === 'success' && edits.some((edit) => edit.whole_word)) {
        seen.set('whole word', (seen.get('whole word') ?? 0) + 1);
      }
      for (const { at } of what === 'success' ? edits : []) if (at !== undefined) seen.set(at, (seen.get(at) ?? 0) + 1);
    }),
    { numRuns: 5_000 },
  );
  for (const what of [
    'success',
    'folded',
    'whole word',
    'start',
    'end',
    'string_not_found',
    'string_not_unique',
    'invalid_params',
  ]) {
    assert.ok((seen.get(what) ?? 0) > 100, `seen too rarely: ${what} (${seen.get(what) ?? 0})`);
  }
});

/**
 * Large enough to be cut into pieces and filtered, with matches anywhere: also across pieces, and in text written by
 * other edits. Lines are partly numbered, so some strings are rare.
 */
const large = fc
  .tuple(fc.array(text, { minLength: 5, maxLength: 20 }), fc.integer({ min: 66_000, max: 100_000 }))
  .map(([lines, size]) => {
    const parts: string[] = [];
    for (let index = 0, length = 0; length < size; index++) {
      const line = lines[(index * 7) % lines.length] ?? '';
      parts.push(index % 3 === 0 ? `${line}const value${index} = K\n` : `${line}\n`);
      length += Buffer.byteLength(parts.at(-1) ?? '');
    }
    return parts.join('');
  });

const largeRequest = large.chain((old) => {
  const string = fc
    .tuple(fc.nat(old.length), fc.integer({ min: 8, max: 60 }))
    .map(([start, length]) => old.slice(start, start + length).toWellFormed());
  const replaced = fc
    .tuple(string, fc.oneof(text, string), fc.boolean(), fc.boolean())
    .map(([old_string, new_string, case_insensitive, whole_word]) => {
      return { old_string, new_string, case_insensitive, whole_word };
    });
  const edit: fc.Arbitrary<TextEdit> = fc.oneof({ weight: 9, arbitrary: replaced }, { weight: 1, arbitrary: added });
  return fc.record({ old: fc.constant(old), edits: fc.array(edit, { minLength: 30, maxLength: 50 }) });
});

test('and on large texts with many edits, which take the filtered search', () => {
  let compared = 0;
  fc.assert(
    fc.property(largeRequest, ({ old, edits }) => {
      // Drops edits that no longer match, so a request gets to its end; only the last may fail.
      let now = old;
      const matching = edits.filter((edit, index) => {
        if (now.length > 300_000) return false;
        try {
          now = replacedByOracle(now, [edit], true).text;
          return true;
        } catch {
          return index === edits.length - 1;
        }
      });
      compare(old, matching, true);
      compared += matching.length >= 16 ? 1 : 0;
    }),
    { numRuns: 50, endOnFailure: true },
  );
  // Usually about 30 are, sometimes fewer than 25.
  assert.ok(compared > 12, `only ${compared} requests were large`);
});
