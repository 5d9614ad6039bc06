import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import type { Failure } from '../../../src/core/errors.js';
import { operations, rows, type Operation, type Schema } from '../../../src/core/operations.js';
import { validate } from '../../../src/call/validation/index.js';

function operation(name: string): Operation {
  const row = operations.get(name);
  assert.ok(row, `no operation ${name}`);
  return row;
}

function refused(name: string, params: unknown): Failure {
  const answer = validate(operation(name), params);
  assert.ok(answer, 'the parameters were accepted');
  assert.equal(answer.kind, 'invalid_params');
  assert.match(answer.message, /^Invalid params: (?:\/|params )[^\n]*?(?: \(and \d+ more\))?$/);
  assert.match(answer.details, /(?:^|[.?] )Correct the parameters and send the request again\.$/);
  return answer;
}

describe('invalid parameters', () => {
  const cases: readonly [string, unknown, string][] = [
    ['read_file', null, 'params must be an object, not null'],
    ['read_file', [], 'params must be an object, not an array'],
    ['read_file', 'a.txt', 'params must be an object, not a string'],
    ['read_file', undefined, 'params must be an object, not undefined'],
    ['read_file', {}, '/name is required'],
    ['read_file', { name: 5 }, '/name must be a string, not a number'],
    [
      'apply_edits',
      { path: 'a', edits: [{ new_string: 'x' }] },
      '/edits/0 must have old_string or at: send old_string, the text to replace, or at, which is "start" or "end" and adds',
    ],
    [
      'apply_edits',
      { path: 'a', edits: [{ old_string: 'a', at: 'end', new_string: 'x' }] },
      '/edits/0 must not have both old_string and at: send old_string, the text to replace, or at,',
    ],
    [
      'apply_edits',
      { path: 'a', edits: [{ at: 'end', new_string: 'x', replace_all: true }] },
      '/edits/0/replace_all must not be beside at: nothing is searched for with at, so leave it out.',
    ],
    [
      'apply_edits',
      { path: 'a', edits: [{ at: 'end', new_string: 'x', case_insensitive: true }] },
      '/edits/0/case_insensitive must not be beside at: ',
    ],
    [
      'apply_edits',
      { path: 'a', edits: [{ at: 'end', new_string: 'x', whole_word: false }] },
      '/edits/0/whole_word must not be beside at: ',
    ],
    [
      'apply_edits',
      { path: 'a', edits: [{ at: 'top', new_string: 'x' }] },
      '/edits/0/at must be one of "start", "end"',
    ],
    ['apply_changes', {}, '/changes is required: expected an array of 1 to 100 items'],
    ['apply_changes', { changes: [] }, '/changes must be an array of 1 to 100 items: '],
    [
      'apply_changes',
      { changes: new Array(101).fill({ path: 'a', delete: true }) },
      '/changes must hold at most 100 items',
    ],
    ['apply_changes', { changes: [{ delete: true }] }, '/changes/0/path is required: expected a string'],
    [
      'apply_changes',
      { changes: [{ path: 'a', delete: true }, { path: 'b' }] },
      '/changes/1 must have edits, content, delete or rename_to: edits replace texts in the file, ',
    ],
    [
      'apply_changes',
      { changes: [{ path: 'a', delete: false }] },
      '/changes/0 must have edits, content, delete or rename_to: ',
    ],
    [
      'apply_changes',
      { changes: [{ path: 'a', edits: [{ old_string: 'a', new_string: 'b' }], content: 'x', rename_to: 'b' }] },
      '/changes/0 must have only one of edits and content and rename_to: edits replace texts in the file, ',
    ],
    [
      'apply_changes',
      { changes: [{ path: 'a', delete: true, encoding: 'utf-8' }] },
      '/changes/0/encoding must not be without content: it tells how content is written, so leave it out.',
    ],
    [
      'apply_changes',
      { changes: [{ path: 'a', rename_to: 'b', expected_hash: '*' }] },
      '/changes/0/expected_hash must not be beside rename_to: a file keeps its content when it moves, so leave it out.',
    ],
    ['apply_changes', { changes: [{ glob: '*' }] }, '/changes/0 must have edits: '],
    [
      'apply_changes',
      { changes: [{ glob: '*', delete: true }] },
      '/changes/0/delete must not be beside glob: a glob stands in place of path, for edits of several files.',
    ],
    [
      'apply_changes',
      { changes: [{ path: 'a', edits: [{ new_string: 'x' }] }] },
      '/changes/0/edits/0 must have old_string or at: ',
    ],
    ['apply_changes', { changes: [{ path: 'a', edits: [] }] }, '/changes/0/edits must be an array of 1 to 1000 items'],
    [
      'apply_changes',
      { changes: [{ path: 'a', delete: true }], path: 'a' },
      '/path is an unknown parameter: put it into an object in the array "changes".',
    ],
    [
      'apply_changes',
      { changes: [{ path: 'a', delete: true, new_path: 'b' }] },
      '/changes/0/new_path is an unknown parameter: did you mean "rename_to"?',
    ],
    ['read_file', { name: {} }, '/name must be a string, not an object'],
    ['read_file', { name: 'a', return_hash: 1 }, '/return_hash must be true or false, not a number'],
    ['list_files', { path: '.' }, '/path is an unknown parameter'],
    ['edit_file', { name: 'a', edits: {} }, '/edits must be an array of at most 1000 items, not an object'],
    ['edit_file', { name: 'a', edits: [7] }, '/edits/0 must be an object, not a number'],
    ['edit_file', { name: 'a', edits: [[]] }, '/edits/0 must be an object, not an array'],
    ['edit_file', { name: 'a', edits: [{ operation: 'delete' }] }, '/edits/0/line is required'],
    [
      'edit_file',
      { name: 'a', edits: [{ line: 1, operation: 5 }] },
      '/edits/0/operation must be one of "replace", "insert", "delete", not a number',
    ],
    ['edit_file', { name: 'a', edits: new Array(1001).fill(0) }, '/edits must hold at most 1000 items'],
    ['edit_file', { name: 'a', append: 'x\udc00' }, '/append must be well-formed Unicode, without lone surrogates'],
    [
      'edit_file',
      { name: 'a', edits: [{ line: 1, operation: 'insert', content: '\ud83d' }] },
      '/edits/0/content must be well-formed Unicode, without lone surrogates',
    ],
    [
      'edit_file',
      { name: 'a', expected_hash: '\ud800' },
      '/expected_hash must be well-formed Unicode, without lone surrogates',
    ],
  ];
  for (const [name, params, violation] of cases) {
    it(violation, () => {
      const { message, details } = refused(name, params);
      const [problem = '', hint = ''] = violation.split(': ');
      assert.equal(message, `Invalid params: ${problem}`);
      assert.ok(details.toLowerCase().startsWith(hint.toLowerCase()), details);
    });
  }

  it('are explained by the expected members if an object is required', () => {
    assert.match(
      refused('edit_file', { name: 'a', edits: ['x'] }).details,
      /^Known here are line, end_line, operation, content/,
    );
  });

  it('are all named in one answer', () => {
    const params = { edits: [{ line: 0, operation: 'x' }], append: '\ud800' };
    const { message, details } = refused('edit_file', params);
    assert.equal(message, 'Invalid params: /name is required (and 3 more)');
    for (const pointer of ['/edits/0/line', '/edits/0/operation', '/append']) {
      assert.ok(details.includes(pointer), pointer);
    }
  });
});

describe('a change of several', () => {
  const fine = { path: 'a', content: 'x' };

  it('may say that it deletes nothing, in JSON', () => {
    assert.equal(validate(operation('apply_changes'), { changes: [{ ...fine, delete: false }] }), null);
  });

  it('that is wrong is told with its path, and up to twenty of them are listed', () => {
    const changes = [fine, ...Array.from({ length: 99 }, (_, index) => ({ path: `b${String(index)}` }))];
    const { message, details, data } = refused('apply_changes', { changes });
    assert.equal(message, 'Invalid params: /changes/1 must have edits, content, delete or rename_to (and 19 more)');
    assert.equal(details.match(/\/changes\/\d+[,.]/g)?.length, 19);
    assert.deepEqual(data, { path: 'b0' });
  });

  it('is the one that fails if its text is not well-formed, the new name included', () => {
    const failureOf = (change: object): unknown => {
      const failed = validate(operation('apply_changes'), { changes: [fine, change] });
      return [failed?.kind, failed?.data];
    };
    for (const member of ['content', 'expected_hash']) {
      const told = failureOf({ path: 'b', content: 'x', [member]: '\ud800' });
      assert.deepEqual(told, ['invalid_encoding', { change: 2, path: 'b' }]);
    }
    const renamed = failureOf({ path: 'b', rename_to: 'c\ud800' });
    assert.deepEqual(renamed, ['invalid_encoding', { change: 2, path: 'c\ud800' }]);
  });

  it('is refused quickly, however much is wrong', () => {
    const bodies = [
      { path: 'a', edits: new Array(1000).fill(1) },
      { path: 'a', edits: new Array(300).fill({ x: 1, y: 2 }) },
      { path: 'a', edits: new Array(600).fill({ new_string: '' }) },
    ].map((change) => ({ changes: new Array(100).fill(change) }));
    for (const params of bodies) {
      const began = performance.now();
      assert.ok(validate(operation('apply_changes'), params));
      // 15 ms; what looks at everything again for each thing that is wrong takes longer on any machine.
      const ms = performance.now() - began;
      assert.ok(ms < 5_000, `${String(ms)} ms`);
    }
  });
});

describe('the details', () => {
  it('are sentences, and name the requirement of each place only once', () => {
    const { details } = refused('edit_file', { edits: [{ line: 0, operation: 'delete' }, { line: 'x' }] });
    const lines =
      'Line of the file as it was before this request, from 1. insert puts content before it; n+1 is the end of a file of n lines.';
    assert.equal(
      details,
      'Expected a string. ' +
        `/edits/0/line must be a whole number from 1: ${lines} ` +
        '/edits/1/operation is required: expected one of "replace", "insert", "delete". ' +
        '/edits/1/line must be a whole number from 1, not a string. ' +
        'Pointers count from 0. ' +
        'Correct the parameters and send the request again.',
    );
  });
});

describe('invalid line numbers as the only problem', () => {
  const wrong: readonly [string, object, string][] = [
    ['read_file', { start_line: 0 }, '/start_line'],
    ['read_file', { start_line: -1, end_line: 1.5 }, '/start_line, /end_line'],
    ['read_file', { end_line: '1' }, '/end_line'],
    ['read_file', { end_line: null }, '/end_line'],
    ['read_file', { start_line: Infinity }, '/start_line'],
    [
      'edit_file',
      { edits: [1, 0, true].map((line) => ({ line, operation: 'delete' })) },
      '/edits/1/line, /edits/2/line',
    ],
  ];
  for (const [name, params, places] of wrong) {
    it(`have their own message: ${places} of ${name}`, () => {
      const answer = validate(operation(name), { name: 'a', ...params });
      assert.equal(answer?.kind, 'invalid_range');
      assert.equal(answer.message, 'Line numbers must be positive integers');
      assert.equal(answer.details, `Send a whole number from 1 up as ${places}.`);
    });
  }

  it('have one for callers who count from 0', () => {
    const answer = validate(operation('read_file'), { name: 'a', start_line: 0 }, 0);
    assert.equal(answer?.message, 'Line numbers must be non-negative integers');
    assert.equal(answer.details, 'Send a whole number from 0 up as /start_line.');
  });

  it('are named up to twenty times', () => {
    const edits = Array.from({ length: 1000 }, () => ({ line: 0, operation: 'delete' }));
    const answer = validate(operation('edit_file'), { name: 'a', edits });
    assert.equal(answer?.details.match(/\/edits\//g)?.length, 20);
  });

  it('are one problem of several if there are others', () => {
    for (const edit of [
      { line: 0, operation: 'insert' },
      { line: 0, operation: 'delete', content: 'x' },
      { line: 0, operation: 'add', content: 'x' },
      { line: 0, operation: 'insert', content: '\ud800' },
      { line: 0, operation: 'delete', at: 1 },
    ]) {
      assert.match(
        refused('edit_file', { name: 'a', edits: [edit] }).message,
        /^Invalid params: \/edits\/0\/\w+ (?:must|is) .*\(and 1 more\)$/,
      );
    }
  });
});

describe('edits of unknown kinds as the only problem', () => {
  it('have their own message, which names the first', () => {
    const edits = ['delete', 'foo', 'Delete'].map((kind) => ({ line: 1, operation: kind }));
    const answer = validate(operation('edit_file'), { name: 'a', edits });
    assert.equal(answer?.kind, 'invalid_params');
    assert.equal(answer.message, 'Invalid edit operation: foo');
    assert.equal(answer.details, 'Send "replace", "insert" or "delete" as /edits/1/operation, /edits/2/operation.');
  });

  it('are echoed in brief, well-formed and on one line', () => {
    const edits = [{ line: 1, operation: `a\nb${'x'.repeat(100_000)}` }];
    const { message = '' } = validate(operation('edit_file'), { name: 'a', edits }) ?? {};
    assert.match(message, /^Invalid edit operation: a\ufffdbx{57}…$/);
  });
});

describe('an unknown parameter', () => {
  const meant: readonly [string, string, string][] = [
    ['edit_file', 'content', 'append'],
    ['edit_file', 'file_path', 'name'],
    ['edit_file', 'createIfMissing', 'create_if_missing'],
    ['edit_file', 'edit', 'edits'],
    ['edit_file', 'hash', 'expected_hash'],
    ['read_file', 'startLine', 'start_line'],
    ['read_file', 'strat_line', 'start_line'],
    ['read_file', 'to', 'end_line'],
    ['read_file', 'path', 'name'],
  ];
  for (const [name, given, suggestion] of meant) {
    it(`${given} of ${name} is answered with ${suggestion}`, () => {
      const { message, details } = refused(name, { name: 'a', [given]: 1 });
      assert.equal(message, `Invalid params: /${given} is an unknown parameter`);
      assert.ok(details.startsWith(`Did you mean "${suggestion}"?`), details);
    });
  }

  it('is answered with the purpose of the parameter that was probably meant', () => {
    assert.match(
      refused('edit_file', { name: 'a', content: 'all of it' }).details,
      /^Did you mean "append"\? Text to put at the end of the file, .*; all the text of a new file\./,
    );
  });

  it('that belongs in a list item is referred there', () => {
    const { message, details } = refused('edit_file', { name: 'a', line: 1, operation: 'replace', content: 'x' });
    assert.equal(message, 'Invalid params: /line is an unknown parameter (and 2 more)');
    assert.match(
      details,
      /^Put it into an object in the array "edits"\. The same holds for \/operation, \/content\. Correct /,
    );
    assert.doesNotMatch(details, /append/);
  });

  it('that resembles none is answered with all known ones', () => {
    assert.match(
      refused('read_file', { name: 'a', xyzzy: 1 }).details,
      /^Known here are name, start_line, end_line, return_hash/,
    );
    assert.match(refused('list_files', { xyzzy: 1 }).details, /^No parameters are known here/);
  });

  it('is refused even if every object inherits its name', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const params: unknown = JSON.parse(`{"name": "a", ${JSON.stringify(key)}: {"start_line": 1}}`);
      assert.equal(refused('read_file', params).message, `Invalid params: /${key} is an unknown parameter`);
    }
    assert.equal(Reflect.get({}, 'start_line'), undefined);
  });

  it('is echoed as a short, well-formed pointer on one line', () => {
    const { message, details } = refused('read_file', { name: 'a', 'a/b~c\n\ud800': 1, [`k${'x'.repeat(1000)}`]: 1 });
    assert.equal(message, 'Invalid params: /a~1b~0c\ufffd\ufffd is an unknown parameter (and 1 more)');
    assert.ok(details.includes(`/k${'x'.repeat(59)}…`), details);
    assert.ok(details.length < 300);
  });
});

describe('bounds', () => {
  it('reports at most 20 violations', () => {
    const edits = Array.from({ length: 1000 }, () => ({ line: 0, operation: 'no', append: 1 }));
    const { message, details } = refused('edit_file', { name: 'a', edits });
    assert.match(message, /^Invalid params: \/edits\/0\/\w+ .* \(and 19 more\)$/);
    assert.equal(details.match(/\/edits\/\d+\/\w+/g)?.length, 19);
  });

  it('reports at most 20 strings that are not well-formed', () => {
    const edits = Array.from({ length: 1000 }, () => ({ line: 1, operation: 'insert', content: '\ud800' }));
    const { message, details } = refused('edit_file', { name: 'a', edits });
    assert.match(message, /^Invalid params: \/edits\/0\/content must be well-formed Unicode, .* \(and 19 more\)$/);
    assert.equal(details.match(/\/content[,.]/g)?.length, 19);
  });

  it('never inspects values that are too long or too wide', () => {
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('was looked into');
        },
      },
    );
    const tooLong = { name: 'a', edits: new Array(1001).fill(trap) };
    assert.match(refused('edit_file', tooLong).message, /edits must hold at most 1000 items$/);
    const wide = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${String(index)}`, 1]));
    const { message, details } = refused('edit_file', { name: 5, edits: [{ ...wide, line: 'x' }] });
    assert.equal(message, 'Invalid params: /edits/0 has too many members');
    assert.match(details, /^Known here are line, end_line, operation, content/);
    assert.equal(refused('read_file', wide).message, 'Invalid params: params has too many members');
  });

  it('stops at 20 objects that are too wide', () => {
    const wide = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${String(index)}`, 1]));
    const { message, details } = refused('edit_file', { name: 'a', edits: new Array(1000).fill(wide) });
    assert.equal(message, 'Invalid params: /edits/0 has too many members (and 19 more)');
    assert.equal(details.match(/\/edits\/\d+/g)?.length, 19);
  });

  it('does not descend into values without a schema, however deep', () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 200_000; depth++) deep = [deep];
    assert.match(refused('read_file', { name: 'a', deep }).message, /\/deep is an unknown parameter/);
    assert.match(
      refused('edit_file', { name: 'a', edits: [deep] }).message,
      /\/edits\/0 must be an object, not an array/,
    );
    assert.match(refused('read_file', { name: deep }).message, /\/name must be a string, not an array/);
  });
});

describe('properties', () => {
  /** A second, naive implementation of the schema check. */
  function fits(schema: Schema, value: unknown, filename?: string): boolean {
    if (schema.type === 'string') {
      if (typeof value !== 'string' || !value.isWellFormed() || value.length < (schema.minLength ?? 0)) return false;
      return schema.enum?.includes(value) ?? true;
    }
    if (schema.type === 'boolean') return typeof value === 'boolean';
    if (schema.type === 'integer') {
      const { minimum = -Infinity, maximum = Infinity } = schema;
      return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
    }
    if (schema.type === 'array') {
      const { items, minItems = 0 } = schema;
      return (
        Array.isArray(value) &&
        value.length >= minItems &&
        items !== undefined &&
        value.every((item) => fits(items, item))
      );
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const members = new Map<string, unknown>(Object.entries(value));
    const known = new Map(Object.entries(schema.properties ?? {}));
    if (schema.required?.some((name) => !members.has(name)) === true) return false;
    return [...members].every(([name, member]) => {
      const described = known.get(name);
      if (name === filename) return typeof member === 'string';
      return described !== undefined && fits(described, member);
    });
  }

  const scalar = fc.oneof(
    fc.integer({ min: -2, max: 5 }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('replace', 'insert', 'delete', 'x', '', '\ud800'),
  );
  /** Usually valid for the schema, otherwise anything. */
  function about(schema: Schema): fc.Arbitrary<unknown> {
    return fc.oneof({ weight: 9, arbitrary: fitting(schema) }, { weight: 1, arbitrary: scalar });
  }
  function fitting(schema: Schema): fc.Arbitrary<unknown> {
    switch (schema.type) {
      case 'string':
        return fc.constantFrom(...(schema.enum ?? ['', 'text', '\u{1f600}']));
      case 'integer':
        return fc.integer({ min: 1 });
      case 'boolean':
        return fc.boolean();
      case 'array':
        return fc.array(about(schema.items ?? schema), { maxLength: 3 });
      case 'object': {
        const entries = Object.entries(schema.properties ?? {}).map(([name, member]) => {
          const dropped = schema.required?.includes(name) === true ? 1 : 9;
          const entry = about(member).map((value): [string, unknown][] => [[name, value]]);
          return fc.oneof({ weight: dropped, arbitrary: fc.constant([]) }, { weight: 9, arbitrary: entry });
        });
        const unknown = fc.constantFrom<[string, unknown][]>([['extra', 1]], [['__proto__', 1]]);
        const extra = fc.oneof({ weight: 9, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: unknown });
        return fc.tuple(...entries, extra).map((members) => Object.fromEntries(members.flat()));
      }
    }
  }
  const calls = fc.constantFrom(...operations.values()).chain((row) => fc.tuple(fc.constant(row), about(row.params)));

  /**
   * What no schema expresses: delete takes no content, the others require it, and insert takes no end_line; an edit by
   * text has one of old_string and at, and nothing about searching beside at; a change does one thing, and has only what
   * goes with it; a view is of a path, or of several files, each with its own bounds; an undo has ids or a number.
   */
  function hasItsMembers(row: Operation, value: unknown): boolean {
    if (row.changes !== undefined) return changesHaveTheirs(value);
    if (row.eitherOf !== undefined) {
      return typeof value === 'object' && value !== null && row.eitherOf.filter((name) => name in value).length === 1;
    }
    if (row.several !== undefined) {
      const has = (name: string): boolean => typeof value === 'object' && value !== null && name in value;
      return has('files') ? !['path', 'start_line', 'end_line'].some(has) : has('path');
    }
    const edits: unknown = typeof value === 'object' && value !== null && 'edits' in value ? value.edits : [];
    if (!Array.isArray(edits)) return true;
    return edits.every((edit: unknown) => {
      if (typeof edit !== 'object' || edit === null) return true;
      if (row.textEdits !== undefined) {
        if ('at' in edit)
          return !['old_string', 'replace_all', 'case_insensitive', 'whole_word'].some((name) => name in edit);
        return 'old_string' in edit;
      }
      if (!('operation' in edit)) return true;
      if (edit.operation === 'insert' && 'end_line' in edit) return false;
      return (edit.operation === 'delete') !== 'content' in edit;
    });
  }

  function changesHaveTheirs(value: unknown): boolean {
    const changes: unknown = typeof value === 'object' && value !== null && 'changes' in value ? value.changes : [];
    if (!Array.isArray(changes)) return true;
    return changes.every((change: unknown) => {
      if (typeof change !== 'object' || change === null) return true;
      if ('path' in change === 'glob' in change) return false;
      const isAlone = !['content', 'rename_to', 'expected_hash', 'encoding'].some((name) => name in change);
      const deletes = 'delete' in change && change.delete === true;
      if ('glob' in change) return 'edits' in change && isAlone && !deletes && hasItsMembers(rows.apply_edits, change);
      const moves = 'rename_to' in change;
      const texts = ['edits' in change, 'content' in change].filter(Boolean).length;
      const doesOne = moves ? texts <= 1 && !deletes : texts + Number(deletes) === 1;
      if (!doesOne || ('encoding' in change && !('content' in change))) return false;
      if (moves && texts === 0 && 'expected_hash' in change) return false;
      return hasItsMembers(rows.apply_edits, change);
    });
  }

  it('accepts exactly what the schema describes', () => {
    const answers = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(calls, ([row, value]) => {
        const answer = validate(row, value);
        answers[answer === null ? 'accepted' : 'refused'] += 1;
        assert.equal(answer === null, fits(row.params, value, row.filename) && hasItsMembers(row, value));
      }),
      { numRuns: 5000 },
    );
    const { accepted, refused } = answers;
    // There are fewer where a property is given little time.
    assert.ok((accepted > 500 && refused > 500) || accepted + refused < 5000, JSON.stringify(answers));
  });

  it('answers any JSON value, briefly and without echoing values', () => {
    fc.assert(
      fc.property(fc.constantFrom(...operations.values()), fc.jsonValue(), (row, value) => {
        const answer = validate(row, value);
        assert.ok(answer === null || answer.message.length + answer.details.length < 12_000);
        assert.ok(answer === null || (answer.message.isWellFormed() && answer.details.isWellFormed()));
      }),
      { numRuns: 2000 },
    );
    const secret = 'hunter2';
    const { message, details } = refused('edit_file', { name: 'a', append: [secret], edits: [{ operation: secret }] });
    assert.ok(!`${message}${details}`.includes(secret));
  });
});
