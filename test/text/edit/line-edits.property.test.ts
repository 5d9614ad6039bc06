import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../fast-check.js';
import type { LargeText } from '../../../src/core/json/large-text.js';
import { sharedBytes } from '../../../src/core/memory/shared.js';
import type { LineEdit, ValidLineEdit } from '../../../src/core/operations.js';
import { applyLineEdits } from '../../../workers/text/edit/line-edits.js';
import { countLines } from '../../../workers/text/lines/lines.js';
import { findSeparators } from '../../../workers/text/lines/separator-ends.js';
import { wholeOf } from '../../../workers/text/scattered-text.js';
import { bomOf, conflict, covers, editedByOracle, lastOf, linesOf } from './oracle.js';
import { readText } from '../lines/read-text.js';

const separator = fc.constantFrom('\n', '\r\n', '\r');
const piece = fc.constantFrom('a', 'é', '漢', '😀', '\u2028', '\u0085', '\v', '\f', '\0', '\uFEFF', '$&', ' ');
const line = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));
const ended = fc.array(fc.tuple(line, separator), { maxLength: 6 }).map((pairs) => pairs.flat().join(''));
/** Includes the common case: a text with one kind of separator. */
const uniform = fc.tuple(ended, separator).map(([text, one]) => text.replace(/\r\n?|\n/g, one));
const text = fc.tuple(fc.oneof(ended, uniform), fc.oneof(line, fc.constant(''))).map(([head, tail]) => head + tail);
const file = fc.tuple(fc.constantFrom('', '', '\uFEFF'), text).map(([bom, rest]) => bom + rest);

/** Lines of the file and the four after it. Three of four requests have no range beyond the file and no conflict. */
function editsFor(old: string): fc.Arbitrary<LineEdit[]> {
  const n = linesOf(old).length;
  const insert = fc.record({
    line: fc.oneof(fc.integer({ min: 1, max: n + 1 }), fc.integer({ min: n + 1, max: n + 4 })),
    operation: fc.constant('insert' as const),
    content: text,
  });
  const oneLine = fc.integer({ min: 1, max: n + 1 }).map((line) => ({ line }));
  const range = fc
    .tuple(fc.integer({ min: 1, max: n + 1 }), fc.integer({ min: -1, max: 3 }))
    .map(([line, more]) => ({ line, end_line: line + more }));
  const place = fc.oneof(oneLine, range);
  const replace = fc.tuple(place, text).map(([at, content]) => ({ ...at, operation: 'replace' as const, content }));
  const remove = place.map((at) => ({ ...at, operation: 'delete' as const }));
  const mixed = fc.array(fc.oneof(insert, replace, remove), { maxLength: 7 });
  const sound = mixed.map((edits) =>
    edits.reduce<LineEdit[]>((kept, edit) => {
      const isInFile = edit.operation === 'insert' || (edit.line <= lastOf(edit) && lastOf(edit) <= n);
      const conflicts = kept.some((other) => linesOf(old).some((_, index) => conflict(edit, other, index + 1)));
      return isInFile && !conflicts ? [...kept, edit] : kept;
    }, []),
  );
  return fc.oneof({ arbitrary: mixed, weight: 1 }, { arbitrary: sound, weight: 3 });
}

const request = fc
  .record({ old: file, append: fc.option(text, { nil: undefined }) })
  .chain(({ old, append }) => editsFor(old).map((edits) => ({ old, edits, append })));

function outcome<T>(run: () => T): { value?: T; error?: string } {
  try {
    return { value: run() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** The form in which large texts arrive. */
function large(text: string): LargeText {
  const bytes = sharedBytes(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

test('texts that arrive as bytes give the same edits, on 3,000 random files and requests', () => {
  fc.assert(
    fc.property(request, fc.nat(3), ({ old, edits, append }, some) => {
      const before = Buffer.from(old);
      const asBytes = edits.map((edit, index): ValidLineEdit => {
        return edit.content === undefined || index === some ? edit : { ...edit, content: large(edit.content) };
      });
      const expected = outcome(() => applyLineEdits(before, edits, append));
      const actual = outcome(() => applyLineEdits(before, asBytes, append === undefined ? append : large(append)));
      assert.deepEqual(actual, expected);
    }),
    { numRuns: 3_000 },
  );
});

test('edits match the oracle, errors included, on 10,000 random files and requests', () => {
  const seen = new Map<string, number>();
  const see = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
  fc.assert(
    fc.property(request, ({ old, edits, append }) => {
      const expected = outcome(() => editedByOracle(old, edits, append));
      const before = Buffer.from(old);
      const actual = outcome(() => applyLineEdits(before, edits, append));
      assert.equal(before.toString(), old, 'the old bytes were written to');
      assert.equal(actual.error, expected.error);
      see(expected.error?.replaceAll(/\d+/g, 'N') ?? 'success');
      if (actual.value === undefined || expected.value === undefined) return;
      const { text, linesModified, totalLines, summary } = actual.value;
      const bytes = wholeOf(text);
      assert.equal(JSON.stringify(bytes.toString()), JSON.stringify(expected.value.text));
      assert.equal(linesModified, expected.value.linesModified);
      assert.equal(totalLines, expected.value.totalLines);
      assert.equal(totalLines, countLines(bytes), 'new_total_lines is what the next read reports');
      if (summary !== undefined) {
        see('summarized');
        const { totalLines: lines, separators, ended: isEnded } = summary;
        assert.deepEqual({ totalLines: lines, separators, ended: isEnded }, findSeparators(bytes, []).summary);
      }
      assert.equal(bytes === before, expected.value.text === old, 'old itself exactly if nothing changed');
      if (edits.some((edit) => edit.line > linesOf(old).length + 1)) see('growth');
      if (edits.some((edit) => lastOf(edit) > edit.line)) see('range');
    }),
    { numRuns: 10_000 },
  );
  for (const what of [
    'success',
    'growth',
    'range',
    'summarized',
    'Line N out of range for replace operation',
    'Line N out of range for delete operation',
    'Line N out of range for insert operation',
    'Conflicting edits on line N',
    'Invalid line range: start N > end N',
  ]) {
    assert.ok((seen.get(what) ?? 0) > 100, `seen too rarely: ${what} (${seen.get(what) ?? 0})`);
  }
});

test('every untouched line keeps its bytes, its separator and its place in the order', () => {
  // Numbered lines are all distinct; new text holds no '#'.
  const numbered = file.map((old) => {
    const lines = linesOf(old).map((one, index) => `#${index + 1}#${one.text}${one.separator}`);
    return bomOf(old) + lines.join('');
  });
  const sound = fc
    .tuple(numbered, fc.option(text, { nil: undefined }))
    .chain(([old, append]) => editsFor(old).map((edits) => ({ old, edits, append })));
  let kept = 0;
  fc.assert(
    fc.property(sound, ({ old, edits, append }) => {
      const { value } = outcome(() => applyLineEdits(Buffer.from(old), edits, append));
      if (value === undefined) return;
      const result = wholeOf(value.text);
      assert.equal(bomOf(old) === '' || result.indexOf('\uFEFF') === 0, true, 'the byte order mark stays first');
      const changes = edits.filter(({ operation }) => operation !== 'insert');
      let from = 0;
      for (const [index, { text: content, separator: own }] of linesOf(old).entries()) {
        if (changes.some((edit) => covers(edit, index + 1))) continue;
        const bytes = Buffer.from(content + own);
        const at = result.indexOf(bytes, from);
        assert.notEqual(at, -1, `line ${index + 1} was touched`);
        from = at + bytes.length;
        kept += 1;
      }
    }),
    { numRuns: 5_000 },
  );
  assert.ok(kept > 1_000, 'too few lines were kept to prove anything');
});

test('reading a range joins the lines of the oracle with \\n', () => {
  const range = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined });
  fc.assert(
    fc.property(file, range, range, (old, startLine, endLine) => {
      const lines = linesOf(old);
      const actual = outcome(() => readText(old, startLine, endLine));
      if (startLine !== undefined && endLine !== undefined && startLine > endLine) {
        assert.equal(actual.error, `Invalid line range: start ${startLine} > end ${endLine}`);
      } else if (startLine !== undefined && startLine > lines.length) {
        assert.equal(actual.error, `Start line ${startLine} exceeds file length ${lines.length}`);
      } else {
        const selected = lines.slice((startLine ?? 1) - 1, endLine).map((one) => one.text);
        const content = ((startLine ?? 1) === 1 ? bomOf(old) : '') + selected.join('\n');
        assert.equal(actual.error, undefined);
        assert.equal(actual.value?.content, content);
        assert.equal(actual.value.totalLines, lines.length);
      }
    }),
    { numRuns: 10_000 },
  );
});
