/** Edits report mixed line endings if and only if the file had one kind of them before (spec 15). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../fast-check.js';
import type { TextEdit } from '../../../src/core/operations.js';
import { chunkSize } from '../../../workers/text/kernel.js';
import { withCrlf } from '../../../workers/text/lines/new-text.js';
import { insertAtLine } from '../../../workers/text/edit/insert-at-line.js';
import { firstSeparator, mayMix, noticeOfMix } from '../../../workers/text/edit/mixed-endings.js';
import { applyReplacements } from '../../../workers/text/edit/replacements.js';
import { wholeOf, type Text } from '../../../workers/text/scattered-text.js';

const separators = ['\n', '\r\n', '\r'] as const;
/** Few distinct letters, so texts are found. */
const textOf = (units: readonly string[]): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b', ...units), maxLength: 12 });
const anyText = textOf(['\n', '\r', '\r\n']);
const old = fc.oneof(...separators.map((separator) => textOf([separator])), anyText);

const endings = (text: string): string[] => text.match(/\r\n|\n|\r/g) ?? [];
const written = (separator: string): string => JSON.stringify(separator).slice(1, -1);

/** The report to the caller of an edit: the rule itself, without regard for speed. */
function oracle(before: string, after: string): RegExp | undefined {
  const [had, ...others] = new Set(endings(before));
  const now = endings(after);
  if (had === undefined || others.length > 0 || new Set(now).size < 2) return undefined;
  const line = now.findIndex((ending) => ending !== had);
  return new RegExp(
    String.raw`had only ${written(written(had))}, and line ${line + 1} ends with ${written(written(now[line] ?? ''))}\. `,
  );
}

const seen = { told: 0, quiet: 0 };

function assertTold(before: string, text: Text, mixes: boolean): void {
  const told = mixes ? noticeOfMix(Buffer.from(before), text, true) : undefined;
  const expected = oracle(before, wholeOf(text).toString());
  if (expected === undefined) assert.equal(told, undefined);
  else assert.match(told ?? 'nothing was told', expected);
  seen[expected === undefined ? 'quiet' : 'told'] += 1;
}

test('edits by text report mixed line endings exactly when they caused them', () => {
  const strings = fc.tuple(fc.oneof(anyText, fc.constantFrom('a', '\n', '\r', '\n\n', 'a\n', '\ra')), anyText);
  const edits = fc.array(strings, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(old, edits, (before, pairs) => {
      let now = before;
      const made: TextEdit[] = [];
      for (const [old_string, new_string] of pairs) {
        if (old_string === '' || !now.includes(old_string)) continue;
        now = now.replaceAll(old_string, () => new_string);
        made.push({ old_string, new_string });
      }
      if (made.length === 0) return;
      const { text, mayMix } = applyReplacements(Buffer.from(before), made, true);
      assert.equal(wholeOf(text).toString(), now);
      assertTold(before, text, mayMix);
    }),
    { numRuns: 10_000 },
  );
  assert.ok(seen.told > 500 && seen.quiet > 500, JSON.stringify(seen));
});

test('inserts do too', () => {
  seen.told = 0;
  fc.assert(
    fc.property(old, anyText, fc.nat(12), (before, inserted, place) => {
      const text = Buffer.from(before);
      const line = 1 + (place % (endings(before).length + 1));
      const { before: head, added, after } = insertAtLine(text, line, Buffer.from(inserted));
      const separator = firstSeparator(text);
      const mixes = separator !== undefined && mayMix(separator, Buffer.alloc(0), added);
      assertTold(before, Buffer.concat([...head, added, after]), mixes);
    }),
    { numRuns: 10_000 },
  );
  assert.ok(seen.told > 500, JSON.stringify(seen));
});

test('they do so too when a chunk ends in or next to a line ending', () => {
  for (const usual of separators) {
    for (const other of separators.filter((separator) => separator !== usual)) {
      for (let cut = 0; cut <= 4; cut++) {
        const start = 'x'.repeat(chunkSize - cut);
        const before = `a${usual}${start}${usual}`;
        for (const after of [
          `${start}${usual}y${other}`,
          `${start}${other}y${usual}`,
          `${start}${usual}${usual}y${other}`,
        ]) {
          assertTold(before, Buffer.from(after), true);
        }
      }
    }
  }
});

test('a text keeps everything except the line breaks it is given', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const taken = withCrlf(Buffer.from(text)).toString();
      assert.equal(taken, text.replaceAll(/(?<!\r)\n/g, '\r\n'));
      assert.deepEqual(withCrlf(Buffer.from(taken)).toString(), taken);
    }),
  );
});
