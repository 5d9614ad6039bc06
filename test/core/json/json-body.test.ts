import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { isObject, parseJson } from '../../../src/core/json/json-body.js';
import { isLargeText, isWellFormed } from '../../../src/core/json/large-text.js';
import { sharedBytes } from '../../../src/core/memory/shared.js';

/** Blanks that raise a body above the size at which it is measured. */
const padding = ' '.repeat(300_000);

describe('a body', () => {
  for (const [name, bytes] of [
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a code point past the last', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['a character cut short', [0x22, 0xe6, 0x97, 0x22]],
    ['UTF-16', [0x5b, 0x00, 0x5d, 0x00]],
  ] as const) {
    it(`is a parse error with ${name}`, () => {
      const parsed = parseJson(Buffer.from(bytes));
      assert.ok(!parsed.ok);
      assert.equal(parsed.message, 'Parse error');
    });
  }

  it('reports the place of its mistake, and echoes only a few characters', () => {
    const parsed = parseJson(Buffer.from(`{"secret": "${'s'.repeat(1000)}", }`));
    assert.ok(!parsed.ok);
    assert.match(parsed.details, /position 1015\b/);
    assert.doesNotMatch(parsed.details, /s{30}/);
    const quoting = parseJson(Buffer.from(`{"a": ${'x'.repeat(1000)}}`));
    assert.ok(!quoting.ok);
    assert.match(quoting.details, /Unexpected token 'x'/);
    assert.doesNotMatch(quoting.details, /x{30}/);
  });

  it('leaves Object.prototype alone', () => {
    parseJson(Buffer.from('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'));
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
});

describe('a body that would take long to parse', () => {
  const size = 10_000_000;
  const repeated = (before: string, unit: string, after: string): string =>
    before + unit.repeat(Math.floor(size / unit.length)) + after;
  const counted = (before: string, unit: (index: number) => string, after: string): string =>
    before + Array.from({ length: 500_000 }, (_, index) => unit(index)).join('') + after;

  const crowded: readonly (readonly [string, string, string])[] = [
    ['nested arrays', '['.repeat(size / 2) + ']'.repeat(size / 2), 'The request'],
    ['nested objects', `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`, '/a/a'],
    ['many numbers', repeated('{"name":"a","edits":[', '1,', '1]}'), '/edits'],
    ['many numbers, deeper', repeated('{"x":{"y":0},"params":{"a/b~":[', '1,', '1]}}'), '/params/a~1b~0'],
    ['many numbers in an array of arrays', repeated('{"x":{"y":0},"edits":[[', '1,', '1]]}'), '/edits'],
    ['many keys', counted('{', (index) => `"key${String(index)}":1,`, '"last":1}'), 'The request'],
    ['one key over and over', repeated('{', '"a":1,', '"a":1}'), 'The request'],
    ['empty objects', repeated('[', '{},', '{}]'), 'The request'],
    ['distinct objects', counted('[', (index) => `{"key${String(index)}":1},`, '1]'), 'The request'],
    [
      'fewer keys, but long ones',
      `{${Array.from({ length: 60_000 }, (_, index) => `"${String(index).padEnd(100, 'x')}":1`).join()}}`,
      'The request',
    ],
    ['distinct strings', counted('[', (index) => `"${String(index)}",`, '1]'), 'The request'],
  ];
  for (const [name, text, place] of crowded) {
    it(`is refused without parsing: ${name}`, () => {
      const parsed = parseJson(Buffer.from(text));
      assert.ok(!parsed.ok);
      assert.equal(parsed.kind, 'invalid_params');
      assert.equal(parsed.message, 'Invalid params: too many values');
      assert.ok(parsed.details.startsWith(`${place} holds too much: `), parsed.details);
      assert.match(parsed.details, /at most 64000 are accepted/);
    });
  }

  for (const [name, text] of [
    ['arrays never closed', '['.repeat(size)],
    ['objects never closed', repeated('', '{"a":', '')],
    ['a string never closed', repeated('["', 'a', '')],
    ['a string that ends in a backslash', repeated('["', '\\n', '\\')],
    ['brackets closed twice', `${repeated('[', '1,', '1]')}]`],
    ['braces closed twice', `${repeated('[', '{},', '1')}}]`],
    ['arrays closed as objects', '['.repeat(size / 2) + '}'.repeat(size / 2)],
  ] as const) {
    it(`is a parse error: ${name}`, () => {
      const parsed = parseJson(Buffer.from(text));
      assert.ok(!parsed.ok);
      assert.equal(parsed.kind, 'parse_error');
    });
  }

  it('is parsed if it is only long: the longest edit, a large text, escapes, blanks', () => {
    const edit = { line: 1, operation: 'replace', content: '"é\\[{\n'.repeat(1000) };
    const longest = { name: 'a', edits: Array.from({ length: 1000 }, () => edit), append: '😀'.repeat(10_000) };
    assert.deepEqual(parseJson(Buffer.from(JSON.stringify(longest))), { ok: true, value: longest });
    const escapes = { name: 'a', append: '\n'.repeat(size / 2) };
    assert.deepEqual(parseJson(Buffer.from(JSON.stringify(escapes))), { ok: true, value: escapes });
    assert.deepEqual(parseJson(Buffer.from(`${' '.repeat(size)}1`)), { ok: true, value: 1 });
  });

  it('is parsed with exactly the largest number of values', () => {
    const values = (count: number): Buffer => Buffer.from(`${padding}[1${',1'.repeat(count - 2)}]`);
    assert.ok(parseJson(values(64_000)).ok);
    assert.ok(!parseJson(values(64_001)).ok);
  });
});

describe('measuring a large body', () => {
  it('never changes whether it is JSON, nor its value', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ','), (json, place, put) => {
        const at = place % (json.length + 1);
        // Replace, insert or remove a character somewhere.
        const text = padding + json.slice(0, at) + put + json.slice(at + (place % 2));
        let expected: unknown;
        try {
          expected = { ok: true, value: JSON.parse(text) as unknown };
        } catch {
          expected = 'parse_error';
        }
        const parsed = parseJson(Buffer.from(text));
        assert.deepEqual(parsed.ok ? parsed : parsed.kind, expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the outline of a body with too many values', () => {
  const crowd = Array.from({ length: 200_000 }, () => 0);
  const outlineOf = (value: unknown): unknown => {
    const parsed = parseJson(Buffer.from(JSON.stringify(value)));
    assert.ok(!parsed.ok);
    return parsed.outline;
  };

  const emptied = (value: unknown): unknown => (Array.isArray(value) ? [] : isObject(value) ? {} : value);

  it('is its first level, without nested values', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (members) => {
        // Through JSON once, because -0 becomes 0.
        const sent = JSON.parse(JSON.stringify({ crowd, ...members })) as Record<string, unknown>;
        const expected = Object.entries(sent).map(([key, value]) => [key, emptied(value)]);
        assert.deepEqual(outlineOf(sent), Object.fromEntries(expected));
      }),
      { numRuns: 50 },
    );
  });

  it('covers an array too', () => {
    assert.deepEqual(outlineOf([1, crowd, 'a', [crowd], {}]), [1, [], 'a', [], {}]);
  });

  it('covers what a front needs of a tool call, as far as it is not crowded', () => {
    const call = (edits: unknown): unknown => ({
      id: 1,
      method: 'tools/call',
      params: { _meta: { capabilities: { a: {} } }, name: 'x', arguments: { name: 'a', edits } },
    });
    assert.deepEqual(outlineOf(call(crowd)), {
      id: 1,
      method: 'tools/call',
      params: { _meta: { capabilities: {} }, name: 'x', arguments: { name: 'a', edits: [] } },
    });
    assert.deepEqual(outlineOf({ id: 1, params: { name: 'x', arguments: crowd } }), {
      id: 1,
      params: { name: 'x', arguments: [] },
    });
  });

  it('is empty if the first level is crowded or malformed', () => {
    assert.equal(outlineOf(crowd), undefined);
    const wrong = parseJson(Buffer.from(`{"id":7,${JSON.stringify(crowd)}}`));
    assert.ok(!wrong.ok);
    assert.equal(wrong.outline, undefined);
  });
});

describe('a large text', () => {
  const names = new Set(['content']);
  const long = 'a'.repeat(300_000);
  const parsed = (json: string): unknown => {
    const read = parseJson(Buffer.from(json), names);
    return read.ok ? read.value : read;
  };
  const contentOf = (json: string): unknown => Reflect.get(Object(parsed(json)) as object, 'content');

  it('has the bytes of the string JSON.parse would return, however it is escaped', () => {
    const escape = fc.constantFrom('none' as const, 'all' as const, 'upper case' as const);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), escape, (start, end, escaped) => {
        const text = `${start}${long}${end}`;
        const json = JSON.stringify({ path: 'a"\\', content: text, encoding: 'utf-8' });
        const { content, ...rest } = parsed(escaped === 'none' ? json : numbered(json, escaped)) as {
          content: unknown;
        };
        assert.deepEqual(rest, { path: 'a"\\', encoding: 'utf-8' });
        assert.ok(isLargeText(content) && isWellFormed(content) === text.isWellFormed());
        if (text.isWellFormed()) assert.ok(Buffer.from(text).equals(content));
      }),
      { numRuns: 200 },
    );
  });

  it('is found in a message, in tool arguments and in a list of edits, with escapes decoded', () => {
    const escaped = `{"content" : "${long}\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"}`;
    const text = Buffer.from(`${long}"\\/\b\f\n\r\té😀`);
    for (const at of ['', 'params', 'params.arguments', 'params.arguments.edits.0', '0.params.edits.0']) {
      const keys = at.split('.').filter(Boolean);
      const json = keys.reduceRight(
        (inner, key) => (key === '0' ? `[${inner}]` : `{"id":[1],"${key}":${inner}}`),
        escaped,
      );
      const object = keys.reduce((value, key) => Reflect.get(Object(value) as object, key) as unknown, parsed(json));
      const content: unknown = Reflect.get(Object(object) as object, 'content');
      assert.ok(isLargeText(content) && text.equals(content), at);
    }
  });

  it('may be one of several', () => {
    const texts = ['a', 'é', '"'].map((character) => character.repeat(300_000));
    const value = parsed(
      JSON.stringify({ content: texts[0], edits: [{ content: texts[1] }, 1, { content: texts[2] }] }),
    );
    const { content, edits } = value as { content: unknown; edits: { content: unknown }[] };
    const found = [content, edits[0]?.content, edits[2]?.content];
    assert.deepEqual(
      found.map((each) => isLargeText(each) && Buffer.from(each).toString()),
      texts,
    );
  });

  it('cannot be forged by other strings in the body', () => {
    const others = { name: '\ud800 large text 0', edits: '\ud800 large text ', id: 'large text 0x0', append: '0' };
    const { content, ...rest } = parsed(JSON.stringify({ ...others, content: long })) as Record<string, unknown>;
    assert.deepEqual(rest, others);
    assert.ok(isLargeText(content));
    assert.equal(isObject(content), false);
  });

  it('overwrites its escaped form in shared memory, and takes no memory of its own', () => {
    const json = Buffer.from(`{"content":"\\n${long}\\n"}`);
    const shared = sharedBytes(json.length);
    json.copy(shared);
    const read = parseJson(shared, names);
    const content: unknown = read.ok ? Reflect.get(Object(read.value) as object, 'content') : read;
    assert.ok(isLargeText(content) && content.buffer === shared.buffer);
    assert.ok(Buffer.from(`\n${long}\n`).equals(content));
  });

  it('stays a string if it is deeper, small, under another name, or not requested', () => {
    const member = { content: long };
    const deeper = { a: { b: { c: { d: member } } } };
    for (const value of [[[[member]]], [long], deeper, { text: long }, { content: 'a', text: long }]) {
      assert.deepEqual(parsed(JSON.stringify(value)), value);
    }
    assert.deepEqual(parseJson(Buffer.from(JSON.stringify(member))), { ok: true, value: member });
  });

  it('is found next to deeply nested values', () => {
    const content = contentOf(`{"content":"${long}","deep":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
    assert.ok(isLargeText(content));
  });

  it('gives way to a later member of the same name', () => {
    assert.equal(contentOf(`{"content":"${long}","content":"b"}`), 'b');
    assert.equal(contentOf(`{"content":"${long}","content":null}`), null);
  });

  it('is refused like any other', () => {
    for (const bad of ['\n', '\\x', '\\u12', '\\u12g4', '\\', '"']) {
      const json = Buffer.from(`{"content":"${long}${bad}"}`);
      assert.deepEqual(parseJson(json, names), parseJson(json));
      assert.equal(parseJson(json, names).ok, false, bad);
    }
    const behind = Buffer.from(`{"content":"${long}", nothing}`);
    assert.deepEqual(parseJson(behind, names), parseJson(behind));
  });
});

/** Escapes all characters beyond ASCII. */
function numbered(json: string, how: 'all' | 'upper case'): string {
  return json.replace(/[^ -~]/g, (unit) => {
    const number = unit.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${how === 'all' ? number : number.toUpperCase()}`;
  });
}
