import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationError } from '../../../src/core/errors.js';
import type { TextEdit } from '../../../src/core/operations.js';
import { applyReplacements } from '../../../workers/text/edit/replacements.js';
import { wholeOf } from '../../../workers/text/scattered-text.js';
import { refusal } from './specify.js';

const replace = (old_string: string, new_string: string, more: Partial<TextEdit> = {}): TextEdit => {
  return { old_string, new_string, ...more };
};
const edited = (old: string, edits: readonly TextEdit[], all?: boolean): string =>
  wholeOf(applyReplacements(Buffer.from(old), edits, all).text).toString();
const refused = (old: string, edits: readonly TextEdit[], all?: boolean): OperationError =>
  refusal(() => applyReplacements(Buffer.from(old), edits, all));

/** Title, text, edits, resulting text, `replace_all` of the request. */
type Row = readonly [name: string, old: string, edits: readonly TextEdit[], after: string, all?: boolean];

function specify(rows: readonly Row[]): void {
  for (const [name, old, edits, after, all] of rows) {
    it(name, () => assert.equal(JSON.stringify(edited(old, edits, all)), JSON.stringify(after)));
  }
}

describe('matching', () => {
  specify([
    ['is exact to the byte: white space matters', 'a  b\na b\n', [replace('a b', 'c')], 'a  b\nc\n'],
    ['keeps everything around it', '\uFEFFa\r\nb\rc\n\td', [replace('b', 'B')], '\uFEFFa\r\nB\rc\n\td'],
    ['may span lines', 'a\nb\nc\n', [replace('a\nb', 'x')], 'x\nc\n'],
    ['treats a byte order mark as a character', '\uFEFFa', [replace('\uFEFF', '')], 'a'],
    ['does not find composed letters by their parts', 'é e\u0301', [replace('e\u0301', 'x')], 'é x'],
    ['is case-sensitive', 'Foo foo', [replace('foo', 'x')], 'Foo x'],
    ['takes old_string literally', 'a.c abc', [replace('a.c', 'x')], 'x abc'],
    ['takes new_string literally', 'abc', [replace('b', "$&$1$$$`$'\\n")], "a$&$1$$$`$'\\nc"],
    ['deletes for an empty new_string', 'abc', [replace('b', '')], 'ac'],
    ['may delete everything', 'abc', [replace('abc', '')], ''],
  ]);

  const insensitive = { case_insensitive: true };
  specify([
    ['without regard to case', 'x FOO y', [replace('foo', 'bar', insensitive)], 'x bar y'],
    ['including other letters', 'ÄÖÜ Straße', [replace('äöü STRAẞE', 'x', insensitive)], 'x'],
    ['even if the lengths differ', 'a \u212A b', [replace('k', 'x', insensitive)], 'a x b'],
    ['after letters whose lengths differ', '\u212A\u212A ſ b', [replace('B', 'x', insensitive)], '\u212A\u212A ſ x'],
    ['but not for lookalikes', 'ı I', [replace('i', 'x', insensitive)], 'ı x'],
  ]);
});

describe('text added at the start or the end', () => {
  const at = (edge: 'start' | 'end', new_string: string): TextEdit => ({ at: edge, new_string });
  specify([
    ['goes before the first line', 'a\n', [at('start', 'x\n')], 'x\na\n'],
    ['goes in as given', 'a\n', [at('start', 'x'), at('end', 'y')], 'xa\ny'],
    ['goes after the last line', 'a\r\n', [at('end', 'x\n')], 'a\r\nx\n'],
    ['goes behind a byte order mark, which is not doubled', '\uFEFFa', [at('start', '\uFEFFx\n')], '\uFEFFx\na'],
    ['first ends a last line that is not ended', 'a\r\nb', [at('end', 'x')], 'a\r\nb\r\nx'],
    ['… even if it is empty', 'a', [at('end', '')], 'a\n'],
    ['is all of an empty text', '', [at('end', 'x'), at('start', 'a\n')], 'a\nx'],
    ['is all behind a byte order mark without lines', '\uFEFF', [at('end', '\uFEFFx')], '\uFEFFx'],
    ['may come where all has been deleted', 'abc', [replace('abc', ''), at('end', 'x'), at('start', 'y')], 'yx'],
    ['is seen by the edits after it', 'b', [at('start', 'a\n'), at('end', 'c'), replace('a\nb\nc', 'x')], 'x'],
    [
      'ends a line as the edits before it have left the text',
      'a\nb',
      [replace('a\n', 'a\r\n'), at('end', 'c')],
      'a\r\nb\r\nc',
    ],
  ]);

  it('is one replacement, at the first line that it makes', () => {
    const { replacements, totalReplacements, firstLines } = applyReplacements(
      Buffer.from('one\ntwo'),
      [at('end', 'three\nfour'), at('start', 'zero\n'), at('start', ''), at('end', 'five')],
      true,
    );
    assert.deepEqual(replacements, [
      { edit: 1, count: 1, lines: [3] },
      { edit: 2, count: 1, lines: [1] },
      { edit: 3, count: 0, lines: [] },
      { edit: 4, count: 1, lines: [6] },
    ]);
    assert.equal(totalReplacements, 3);
    assert.deepEqual(firstLines, new Set([3, 1, 6]));
  });

  it('may mix line endings, which is reported', () => {
    assert.equal(applyReplacements(Buffer.from('a\r\nb'), [at('end', 'c')]).mayMix, false);
    assert.equal(applyReplacements(Buffer.from('a\r\n'), [at('end', 'c\n')]).mayMix, true);
  });

  it('goes in a thousand times, on both sides', () => {
    const old = 'line\n'.repeat(100_000);
    const edits = Array.from({ length: 1_000 }, (_, index) => at(index % 2 === 0 ? 'start' : 'end', `${index}\n`));
    const numbers = edits.map((_, index) => index);
    const before = numbers.filter((index) => index % 2 === 0).toReversed();
    const after = numbers.filter((index) => index % 2 === 1);
    const expected = `${before.join('\n')}\n${old}${after.join('\n')}\n`;
    assert.ok(edited(old, edits) === expected);
  });
});

describe('replace_all', () => {
  specify([
    ['of the request holds for all edits', 'a a b b', [replace('a', 'x'), replace('b', 'y')], 'x x y y', true],
    ['of an edit overrides it', 'a a b', [replace('a', 'x', { replace_all: true }), replace('b', 'y')], 'x x y'],
    ['replaces from left to right, without overlap', 'aaaaa', [replace('aa', 'b')], 'bba', true],
    ['does not search its own output', 'aaa', [replace('a', 'aa')], 'aaaaaa', true],
  ]);

  it('false in an edit overrides true in the request', () => {
    assert.match(refused('a a', [replace('a', 'x', { replace_all: false })], true).message, /Found 2 matches/);
  });

  it('must still find something', () => {
    assert.equal(refused('a', [replace('b', 'x')], true).failure.kind, 'string_not_found');
  });
});

describe('each edit is matched against the result of the edits before it', () => {
  specify([
    ['it finds text they wrote', 'a', [replace('a', 'b'), replace('b', 'c')], 'c'],
    ['also across their borders', 'one two', [replace('one', '1'), replace('1 t', 'x')], 'xwo'],
    ['and is unique if they made it so', 'a a', [replace('a a', 'a b'), replace('a', 'c')], 'c b'],
  ]);

  it('and does not find what they removed', () => {
    const { message } = refused('one two\n', [replace('one', '1'), replace('one two', 'x')]);
    assert.match(
      message,
      /^Edit 2 of 2 failed: String not found: "one two"\. The text was at line 1 until edit 1 of this request/,
    );
  });
});

describe('the report', () => {
  it('has the count and the lines of each edit, as of the text it was applied to', () => {
    const edits = [replace('a\n', 'a\nnew\n'), replace('b', 'c', { replace_all: true }), replace('d', 'd')];
    const { editsApplied, totalReplacements, replacements } = applyReplacements(Buffer.from('a\nb\r\nb\rb d\n'), edits);
    assert.equal(editsApplied, 3);
    assert.equal(totalReplacements, 4);
    assert.deepEqual(replacements, [
      { edit: 1, count: 1, lines: [1] },
      { edit: 2, count: 3, lines: [3, 4, 5] },
      { edit: 3, count: 0, lines: [] },
    ]);
  });

  it('gives a line for each replacement, repeating shared lines', () => {
    const { replacements } = applyReplacements(Buffer.from('x\naa\n'), [replace('a', 'b')], true);
    assert.deepEqual(replacements[0]?.lines, [2, 2]);
  });

  it('names the first distinct lines, even with 1,000 matches on the first', () => {
    const old = `${'a'.repeat(2_000)}\n${'a\n'.repeat(30)}`;
    const { replacements, firstLines } = applyReplacements(Buffer.from(old), [replace('a', 'b')], true);
    assert.deepEqual(replacements, [{ edit: 1, count: 2_030, lines: Array.from({ length: 1_000 }, () => 1) }]);
    assert.deepEqual(
      [...firstLines],
      Array.from({ length: 21 }, (_, index) => index + 1),
    );
  });

  it('never makes a text that is too long, neither between edits nor as the result', () => {
    const edits = [replace('a', 'b'.repeat(900)), replace('b', '')];
    const old = Buffer.from('a'.repeat(10));
    const error = refusal(() => applyReplacements(old, edits, true, { mostBytes: 8_999 }));
    assert.equal(error.failure.kind, 'too_large');
    assert.match(error.message, /^Edit 1 of 2 failed: It makes the text 9000 bytes long, at most 8999 are accepted /);
    const lengths: number[] = [];
    const limits = { mostBytes: 9_000, beforeResult: (bytes: number) => lengths.push(bytes) };
    assert.equal(applyReplacements(old, edits, true, limits).text.length, 0);
    assert.equal(applyReplacements(old, edits.slice(0, 1), true, limits).text.length, 9_000);
    assert.deepEqual(lengths, [0, 9_000]);
  });

  it('covers every difference, even after so many replacements that the pieces are merged', () => {
    const old = Buffer.from(`first\n${'a b\n'.repeat(5_000)}last\n`);
    const replaced = applyReplacements(old, [
      { old_string: 'first\n', new_string: '' },
      { old_string: 'last\n', new_string: '' },
      { old_string: 'b', new_string: 'see', replace_all: true },
      { old_string: 'a', new_string: '', replace_all: true },
    ]);
    const bytes = wholeOf(replaced.text);
    assert.equal(bytes.toString(), ' see\n'.repeat(5_000));
    const changes = [...(replaced.edited?.changes() ?? [])];
    // The text between two changes is the same in both.
    const rebuilt: Buffer[] = [];
    let at = 0;
    for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
      rebuilt.push(old.subarray(at, oldStart), bytes.subarray(newStart, newEnd));
      at = oldEnd;
    }
    rebuilt.push(old.subarray(at));
    assert.ok(Buffer.concat(rebuilt).equals(bytes));
    assert.equal(changes.at(-1)?.oldEnd, old.length);
  });

  it('comes with the text that replaceAll gives, even if one text of several MB outgrows the whole', () => {
    const old = Array.from({ length: 50_000 }, (_, index) => `${'ab'.repeat(index % 30)}\r\nline é ${index}\n`).join(
      '',
    );
    const long = 'a long text\n'.repeat(120_000);
    const edits = [
      replace('a', 'é'),
      replace('line', ''),
      replace('b', '\r'),
      replace('é 49999\n', long),
      replace('\n', ';\n'),
      replace('é', 'a'),
      replace('\r', ''),
    ];
    const expected = edits.reduce(
      (text, { old_string = '', new_string }) => text.replaceAll(old_string, () => new_string),
      old,
    );
    assert.ok(expected.length > 2_500_000, String(expected.length));
    const { text, edited } = applyReplacements(Buffer.from(old), edits, true);
    assert.ok(wholeOf(text).equals(Buffer.from(expected)));
    edited?.release();
  });

  it('of edits that change nothing comes with the original bytes', () => {
    const old = Buffer.from('a b');
    for (const edits of [[replace('a', 'a')], [replace('a', 'c'), replace('c', 'a')]]) {
      const { text, edited, editsApplied } = applyReplacements(old, edits);
      assert.equal(text, old);
      assert.equal(edited, undefined);
      assert.equal(editsApplied, edits.length);
    }
  });
});

describe('refused replacements', () => {
  it('more than one match: reports the number, the lines and the two ways out', () => {
    const lines = Array.from({ length: 20 }, (_, index) => ([4, 9, 20].includes(index + 1) ? 'foo' : 'bar')).join('\n');
    const { message, failure } = refused(lines, [replace('foo', 'x')]);
    assert.match(
      message,
      /^Edit 1 of 1 failed: Found 3 matches at lines 4, 9, 20\. .* matches once, or set replace_all to true/,
    );
    assert.equal(failure.kind, 'string_not_unique');
  });

  it('names at most twenty lines', () => {
    const twenty = Array.from({ length: 20 }, (_, index) => index + 1).join(', ');
    assert.ok(refused('a\n'.repeat(20), [replace('a', 'x')]).message.includes(`Found 20 matches at lines ${twenty}. `));
    assert.ok(
      refused('a\n'.repeat(21), [replace('a', 'x')]).message.includes(`Found 21 matches at lines ${twenty}, …. `),
    );
  });

  it('overlapping matches, of which replace_all would replace only some', () => {
    for (const [text, found, apart] of [
      ['aaa', 2, '1 of them, since they overlap.'],
      ['aaaaa', 4, '2 of them, since they overlap.'],
      ['aa aa', 2, 'all of them.'],
    ] as const) {
      const { message } = refused(text, [replace('aa', 'x')]);
      assert.match(message, new RegExp(`Found ${String(found)} matches at lines 1, 1[,.]`));
      assert.ok(message.endsWith(`or set replace_all to true to replace ${apart}`), message);
      const all = applyReplacements(Buffer.from(text), [replace('aa', 'x')], true).totalReplacements;
      assert.equal(all, Number(/replace (\d+) of them/.exec(message)?.[1] ?? found));
    }
  });

  it('more than one match, even if the edit changes nothing', () => {
    assert.equal(refused('a a', [replace('a', 'a')]).failure.kind, 'string_not_unique');
  });

  it('no match, even if the edit changes nothing', () => {
    const { message, failure } = refused('abc', [replace('x', 'x')]);
    assert.match(message, /^Edit 1 of 1 failed: String not found: "x"\. /);
    assert.equal(failure.kind, 'string_not_found');
  });

  it('an empty old_string: the error says how to insert', () => {
    for (const old of ['', 'a']) {
      const { message, failure } = refused(old, [replace('', 'x')]);
      assert.match(message, /^Edit 1 of 1 failed: old_string is empty.* To insert text, /);
      assert.equal(failure.kind, 'invalid_params');
    }
  });

  it('reports only the first of several failures, by its number, with advice', () => {
    const edits = [replace('a', 'b'), replace('x', 'y'), replace('', '')];
    const { message, failure } = refused('a', edits);
    assert.match(message, /^Edit 2 of 3 failed: String not found: "x"/);
    assert.equal(failure.details, 'Nothing was written. Correct edit 2 as the message says and send all edits again.');
  });
});
