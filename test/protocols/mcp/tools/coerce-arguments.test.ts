import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from '../../../fast-check.js';
import { operations, type Schema } from '../../../../src/core/operations.js';
import { coerce, coerceArguments } from '../../../../src/protocols/mcp/tools/coerce-arguments.js';

function paramsOf(name: string): Schema {
  const row = operations.get(name);
  assert.ok(row);
  return row.params;
}

const edit = { line: 1, operation: 'delete' };

describe('unambiguous arguments', () => {
  const cases: readonly (readonly [title: string, name: string, given: unknown, meant: unknown])[] = [
    ['edits as a string of JSON', 'edit_file', { edits: JSON.stringify([edit]) }, { edits: [edit] }],
    ['edits as one object', 'edit_file', { edits: edit }, { edits: [edit] }],
    ['one edit as a string of JSON', 'edit_file', { edits: ` ${JSON.stringify(edit)}` }, { edits: [edit] }],
    ['each edit as a string of JSON', 'edit_file', { edits: [JSON.stringify(edit), edit] }, { edits: [edit, edit] }],
    ['a line number as a string, in an edit', 'edit_file', { edits: [{ ...edit, line: '1' }] }, { edits: [edit] }],
    ['both at once', 'edit_file', { edits: '{"line":"1","operation":"delete"}' }, { edits: [edit] }],
    [
      'line numbers as strings',
      'read_file',
      { name: 'a', start_line: '0', end_line: ' 12 ' },
      { name: 'a', start_line: 0, end_line: 12 },
    ],
    [
      'true and false as strings, in an edit too',
      'apply_edits',
      { dry_run: 'true', return_hash: 'false', edits: [{ replace_all: 'false', case_insensitive: 'true' }] },
      { dry_run: true, return_hash: false, edits: [{ replace_all: false, case_insensitive: true }] },
    ],
    [
      'null for optional parameters, in an edit too',
      'edit_file',
      { name: 'a', append: null, expected_hash: null, edits: [{ ...edit, content: null }] },
      { name: 'a', edits: [edit] },
    ],
    [
      'an empty string for optional texts that cannot be empty',
      'apply_changes',
      {
        changes: [
          { path: 'a', content: '', encoding: '', rename_to: '', expected_hash: '' },
          { path: 'b', edits: [{ old_string: 'a', at: '', new_string: '' }] },
          { path: 'c', edits: [{ old_string: '', at: 'end', new_string: 'x' }], glob: '' },
          { path: '', edits: [{ old_string: 'a', new_string: 'b' }], glob: '*' },
        ],
      },
      {
        changes: [
          { path: 'a', content: '' },
          { path: 'b', edits: [{ old_string: 'a', new_string: '' }] },
          { path: 'c', edits: [{ at: 'end', new_string: 'x' }] },
          { edits: [{ old_string: 'a', new_string: 'b' }], glob: '*' },
        ],
      },
    ],
    [
      'an empty string for optional texts of a search',
      'grep',
      { pattern: 'a', path: '', glob: '', mode: '', cursor: '', limit: '' },
      { pattern: 'a', path: '' },
    ],
    [
      '-1 for the last line of a range',
      'view',
      { path: 'a', start_line: 5, end_line: -1 },
      { path: 'a', start_line: 5 },
    ],
    [
      '-1 for the last line of a range, as a string',
      'read_file',
      { name: 'a', start_line: '5', end_line: '-1' },
      { name: 'a', start_line: 5 },
    ],
    ['a pair of bounds', 'view', { path: 'a', view_range: [2, 3] }, { path: 'a', start_line: 2, end_line: 3 }],
    ['a pair as a string', 'view', { path: 'a', view_range: '["2", -1]' }, { path: 'a', start_line: 2 }],
    ['no pair', 'view', { path: 'a', view_range: null }, { path: 'a' }],
    [
      'changes as a string of JSON',
      'apply_changes',
      { changes: JSON.stringify([{ path: 'a', delete: 'true' }]) },
      { changes: [{ path: 'a', delete: true }] },
    ],
    [
      'changes as one object, with edits as a string of JSON in it',
      'apply_changes',
      { changes: { path: 'a', edits: '[{"old_string":"a","new_string":"b","replace_all":"true"}]' } },
      { changes: [{ path: 'a', edits: [{ old_string: 'a', new_string: 'b', replace_all: true }] }] },
    ],
    [
      'each change as a string of JSON, with one edit in it',
      'apply_changes',
      { changes: ['{"path":"a","edits":{"at":"end","new_string":"b"}}'] },
      { changes: [{ path: 'a', edits: [{ at: 'end', new_string: 'b' }] }] },
    ],
    [
      'null for what a change does not do, and an empty string for its boolean',
      'apply_changes',
      {
        changes: [
          { path: 'a', content: 'x', edits: null, delete: null, rename_to: null, encoding: null, expected_hash: null },
          { path: 'b', rename_to: 'c', delete: '' },
          { path: 'd', edits: [{ old_string: 'a', new_string: 'b', at: null, replace_all: null }] },
        ],
        dry_run: null,
        return_hash: '',
      },
      {
        changes: [
          { path: 'a', content: 'x' },
          { path: 'b', rename_to: 'c' },
          { path: 'd', edits: [{ old_string: 'a', new_string: 'b' }] },
        ],
      },
    ],
    ['null for a list', 'edit_file', { name: 'a', edits: null }, { name: 'a' }],
    [
      'an empty string for an optional number or boolean, in an edit too',
      'apply_edits',
      { dry_run: '', edits: [{ replace_all: '', old_string: '' }] },
      { edits: [{ old_string: '' }] },
    ],
    [
      'an empty string for an optional number',
      'read_file',
      { name: 'a', start_line: '', end_line: '2' },
      { name: 'a', end_line: 2 },
    ],
    [
      'the largest number as a string',
      'read_file',
      { name: 'a', end_line: '9007199254740991' },
      { name: 'a', end_line: Number.MAX_SAFE_INTEGER },
    ],
  ];
  for (const [title, name, given, meant] of cases) {
    it(`are coerced: ${title}`, () => {
      const before = structuredClone(given);
      assert.deepEqual(coerce(paramsOf(name), given), meant);
      assert.deepEqual(given, before, 'what was given is not changed');
    });
  }

  const left: readonly (readonly [title: string, name: string, given: unknown])[] = [
    ['text that looks like JSON', 'edit_file', { name: '[1]', append: '{"a":1}' }],
    ['content that looks like a number', 'edit_file', { edits: [{ ...edit, content: '7' }] }],
    ['a string that is not JSON', 'edit_file', { edits: '[{' }],
    ['strings of JSON, one of them invalid', 'edit_file', { edits: [JSON.stringify(edit), '{"line":'] }],
    [
      'strings that are JSON only when joined',
      'edit_file',
      { edits: ['{"line":1', '"operation":"delete"}', '{},{}', '{"content":"}', '{"}', '{},{}'] },
    ],
    [
      'small strings that add up to too much',
      'edit_file',
      { edits: Array.from({ length: 300 }, () => `{"line":[${'1, '.repeat(400)}1]}`) },
    ],
    ['a word in place of a number', 'read_file', { start_line: 'first' }],
    ['a fraction as a string', 'read_file', { start_line: '1.5' }],
    ['unknown members', 'read_file', { lines: '3', constructor: '4', missing: null, nothing: '' }],
    [
      'null for required parameters, in an edit too',
      'edit_file',
      { name: null, edits: [{ line: null, operation: null }] },
    ],
    ['an empty string for a required number', 'edit_file', { edits: [{ ...edit, line: '' }] }],
    ['an empty text', 'edit_file', { append: '', edits: [{ ...edit, content: '' }] }],
    ['-1 as the last line of an edit, which is not known', 'edit_file', { edits: [{ ...edit, end_line: -1 }] }],
    ['three bounds', 'view', { path: 'a', view_range: [1, 2, 3] }],
    ['a pair beside a bound', 'view', { path: 'a', view_range: [1, 2], end_line: 4 }],
    ['a pair for a tool that may count from 0', 'read_file', { name: 'a', view_range: [1, 2] }],
    ['an empty text to look for', 'apply_edits', { edits: [{ old_string: '', new_string: 'x' }] }],
    ['another word for a boolean', 'read_file', { return_hash: 'yes' }],
    ['a number for a boolean', 'read_file', { return_hash: 1 }],
    [
      'more members than any tool takes, none of which is copied',
      'edit_file',
      { ...Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x${String(index)}`, 0])), edits: '[]' },
    ],
    ['too many edits', 'edit_file', { edits: Array.from({ length: 1001 }, () => ({ ...edit, line: '1' })) }],
  ];
  for (const [title, name, given] of left) {
    it(`are left to validation: ${title}`, () => assert.deepEqual(coerce(paramsOf(name), given), given));
  }

  it('are never changed if they match the schema', () => {
    const plain = { noNullPrototype: true };
    const edits = fc.array(
      fc.record({ line: fc.nat(), operation: fc.constantFrom('insert', 'replace'), content: fc.string() }, plain),
    );
    fc.assert(
      fc.property(fc.record({ name: fc.string(), edits, append: fc.string() }, plain), (params) => {
        assert.deepEqual(coerce(paramsOf('edit_file'), params), params);
      }),
    );
  });
});

describe('a meaningless value of an optional parameter', () => {
  /** Each object in a schema, with a function that replaces it. */
  function* objectsIn(schema: Schema, around: (value: unknown) => unknown): Generator<[Schema, typeof around]> {
    yield [schema, around];
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (member.items?.properties !== undefined) {
        yield* objectsIn(member.items, (value) => around({ [name]: [value] }));
      }
    }
  }

  const neverEmpty = ['expected_hash', 'cursor', 'rename_to', 'caller', 'before', 'before_change'];

  it('counts as absent in every operation', () => {
    let tried = 0;
    for (const { name, params } of operations.values()) {
      for (const [{ properties = {}, required = [] }, around] of objectsIn(params, (value) => value)) {
        for (const [member, { type, enum: words, minLength }] of Object.entries(properties)) {
          const isEmptyText = words === undefined && minLength === undefined && !neverEmpty.includes(member);
          for (const value of [null, '']) {
            const isFull = type === 'array' || type === 'object' || (type === 'string' && isEmptyText);
            const isAbsent = !required.includes(member) && (value === null || !isFull);
            const given = around({ [member]: value });
            assert.deepEqual(coerce(params, given), isAbsent ? around({}) : given, `${name} ${JSON.stringify(given)}`);
            tried += isAbsent ? 1 : 0;
          }
        }
      }
    }
    assert.ok(tried > 20);
  });
});

describe('what one client adds to every call', () => {
  const added = { toolCallId: 'x', sessionId: '', action: 'sendMessage', chatInput: null };

  it('is dropped, even from arguments sent as a JSON string', () => {
    assert.deepEqual(coerceArguments(paramsOf('read_file'), { name: 'a', ...added }), { name: 'a' });
    assert.deepEqual(coerceArguments(paramsOf('read_file'), JSON.stringify({ ...added, name: 'a' })), { name: 'a' });
  });

  it('is kept if the tool has such a parameter', () => {
    const schema = { type: 'object', properties: { action: { type: 'string' } } } as const;
    assert.deepEqual(coerceArguments(schema, { ...added }), { action: 'sendMessage' });
  });

  it('is dropped only at the top level of the arguments', () => {
    const given = { edits: [{ ...edit, ...added }], actions: 1 };
    assert.deepEqual(coerceArguments(paramsOf('edit_file'), given), given);
    for (const none of [[added], 'action', 7, null])
      assert.deepEqual(coerceArguments(paramsOf('edit_file'), none), none);
  });
});

describe('the strings of one event loop turn', () => {
  const list = { type: 'array', items: { type: 'object', properties: {} } } as const;
  const many = `[${'{},'.repeat(10_000)}{}]`;

  it('are coerced up to a total size, and again in the next turn', async () => {
    await setImmediate();
    // Small strings are parsed without a prior check.
    assert.ok(Array.isArray(coerce(list, ' '.repeat(230_000) + many)));
    assert.equal(coerce(list, many), many);
    const few = ' '.repeat(300_000) + `[${'{},'.repeat(5_000)}{}]`;
    assert.ok(Array.isArray(coerce(list, few)));
    assert.equal(coerce(list, few), few);
    await setImmediate();
    assert.ok(Array.isArray(coerce(list, few)));
  });
});
