/** The text operations of the storage tools, compared with naive implementations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import { OperationError } from '../../src/core/errors.js';
import { jsonOf } from '../../src/core/json/json-of.js';
import { base64Json, bytesOfBase64 } from '../../workers/answers/base64.js';
import { exactJson } from '../../workers/answers/exact-json.js';
import { insertAtLine } from '../../workers/text/edit/insert-at-line.js';
import { countAll, findAll } from '../../workers/text/find/search.js';
import { bomOf, linesOf } from './edit/oracle.js';

const unit = fc.constantFrom('a', 'b', ' ', '\n', '\r', '\r\n', '\ufeff', '\u2028', 'ü', '😀', '\0', 'e\u0301');
const text = fc.string({ unit, maxLength: 30 });
/** Few letters, so patterns overlap themselves. */
const narrow = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });
const runs = { numRuns: 3000 };
/** The bytes after the content of an answer. */
const tail = '","size":1}';

describe('occurrences of a text in another', () => {
  const places = (hay: string, needle: string): number[] =>
    [...Array(hay.length).keys()].filter((at) => hay.startsWith(needle, at));

  it('are found wherever they begin, even if they overlap', () => {
    fc.assert(
      fc.property(narrow(40), narrow(5), (hay, rest) => {
        const needle = `a${rest}`;
        assert.deepEqual(findAll(Buffer.from(hay), Buffer.from(needle), true, 2), places(hay, needle).slice(0, 2));
        assert.equal(countAll(Buffer.from(hay), Buffer.from(needle)), places(hay, needle).length);
      }),
      runs,
    );
  });

  it('are matched by bytes: a character matches as a whole or not at all', () => {
    fc.assert(
      fc.property(text, text, (hay, rest) => {
        const needle = `${rest}ü`;
        const [bytes, wanted] = [Buffer.from(hay), Buffer.from(needle)];
        assert.equal(countAll(bytes, wanted), places(hay, needle).length);
      }),
      runs,
    );
  });

  it('of long texts are found in the same way', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), narrow(6), (times, rest) => {
        const needle = `b${'a'.repeat(1100)}${rest}`;
        const hay = `x${needle.slice(0, -1)}${needle.repeat(times % 3)}${'a'.repeat(times)}`;
        assert.deepEqual(findAll(Buffer.from(hay), Buffer.from(needle), true, 2), places(hay, needle).slice(0, 2));
      }),
      { numRuns: 200 },
    );
  });
});

describe('text before a line', () => {
  /** The text with the insertion, or the end of the valid line numbers. */
  function oracle(before: string, line: number, added: string): string | number {
    const lines = linesOf(before);
    const last = lines.length + 1;
    if (line < 1 || line > last) return last;
    const count = (separator: string): number => lines.filter((each) => each.separator === separator).length;
    const [lf, crlf, cr] = [count('\n'), count('\r\n'), count('\r')];
    const dominant = crlf > Math.max(lf, cr) ? '\r\n' : cr > Math.max(lf, crlf) ? '\r' : '\n';
    const missing = line === last && lines.at(-1)?.separator === '' ? dominant : '';
    const whole = lines.map((each) => each.text + each.separator);
    const doubled = line === 1 && bomOf(before) !== '' ? bomOf(added) : '';
    const text = added.slice(doubled.length);
    return [bomOf(before), ...whole.slice(0, line - 1), missing, text, ...whole.slice(line - 1)].join('');
  }

  it('changes nothing else, whatever the separator', () => {
    const answers = { done: 0, refused: 0 };
    fc.assert(
      fc.property(text, fc.integer({ min: -1, max: 12 }), text, (before, line, added) => {
        const expected = oracle(before, line, added);
        if (typeof expected === 'string') {
          answers.done++;
          const inserted = insertAtLine(Buffer.from(before), line, Buffer.from(added));
          assert.equal(Buffer.concat([...inserted.before, inserted.added, inserted.after]).toString(), expected);
          return;
        }
        answers.refused++;
        assert.throws(
          () => insertAtLine(Buffer.from(before), line, Buffer.from(added)),
          (error) =>
            error instanceof OperationError &&
            error.message === `Line number ${String(line)} out of range (1-${String(expected)})`,
        );
      }),
      runs,
    );
    assert.ok(answers.done > 500 && answers.refused > 500, JSON.stringify(answers));
  });
});

describe('text as exact JSON', () => {
  it('equals the output of JSON.stringify with U+2028 and U+2029 escaped', () => {
    const any = fc.string({
      unit: fc.oneof(
        unit,
        fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCharCode(code)),
        fc.constantFrom('"', '\\', '\u2029', '\u20a9'),
      ),
    });
    fc.assert(
      fc.property(any, (plain) => {
        const { json, content } = exactJson(Buffer.from(plain), tail);
        assert.equal(json.toString(), jsonOf({ content: plain, size: 1 }));
        assert.equal(content.toString(), jsonOf(plain));
      }),
      runs,
    );
  });
});

describe('a large text as JSON', () => {
  it('is exact across chunk borders, with and without CR, however much is escaped', () => {
    for (const line of ['a line\n', 'a line\r\n', '\u0001\u0002"\\\n', 'üü😀\u2028\n', '\r']) {
      for (const length of [65_535, 65_536, 65_537, 300_000]) {
        const plain = line.repeat(Math.ceil(length / Buffer.byteLength(line)));
        assert.ok(exactJson(Buffer.from(plain), tail).json.equals(Buffer.from(jsonOf({ content: plain, size: 1 }))));
      }
    }
  });
});

describe('base64', () => {
  it('matches that of Node for any bytes, and decodes to the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (array) => {
        const bytes = Buffer.from(array);
        const expected = bytes.toString('base64');
        const { json, content } = base64Json(bytes, tail);
        assert.equal(json.toString(), JSON.stringify({ content: expected, size: 1 }));
        assert.equal(content.toString(), JSON.stringify(expected));
        assert.ok(bytesOfBase64(Buffer.from(expected)).equals(bytes));
      }),
      runs,
    );
  });

  it('of large input is written in pieces that fit together', () => {
    for (const length of [49_151, 49_152, 49_153, 147_456, 200_000]) {
      const bytes = Buffer.alloc(length, 'abcdefg');
      const expected = bytes.toString('base64');
      assert.equal(base64Json(bytes, tail).content.toString(), JSON.stringify(expected), String(length));
    }
  });

  it('is refused if a single character is wrong', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.constantFrom('-', '_', ' ', '\n', 'ü', '.'),
        (content, at, wrong) => {
          const good = Buffer.from(content).toString('base64');
          const digits = good.replace(/=+$/, '').length;
          const bad = good.slice(0, at % digits) + wrong + good.slice((at % digits) + 1);
          assert.throws(() => bytesOfBase64(Buffer.from(bad)), OperationError);
        },
      ),
      runs,
    );
  });
});
