import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorKinds, failure } from '../../src/core/errors.js';
import { errorObject, resultJson, resultParts, valueOf } from '../../src/call/result-json.js';
import { joined } from '../../src/core/json/scattered-bytes.js';

describe('a member of a result', () => {
  it('is the same value, whether stored as a value or as JSON bytes', () => {
    const value = { lines: [1, 2], name: 'é' };
    assert.equal(valueOf(value), value);
    const json = Buffer.from(`  ${JSON.stringify(value)}`);
    assert.deepEqual(valueOf(new Uint8Array(json).subarray(2)), value);
    assert.deepEqual(valueOf([json.subarray(0, 7), json.subarray(7)]), value);
    assert.equal(valueOf(undefined), undefined);
  });
});

describe('a result as JSON', () => {
  for (const [name, result, json] of [
    ['no members', {}, '{}'],
    [
      'small values',
      { success: true, lines_modified: 2, text: 'é"\n' },
      '{"success":true,"lines_modified":2,"text":"é\\"\\n"}',
    ],
    ['absent members', { a: undefined, b: 1 }, '{"b":1}'],
    ['ready bytes', { content: Buffer.from('"x\\n"'), total_lines: 1 }, '{"content":"x\\n","total_lines":1}'],
    ['ready bytes alone', { content: Buffer.from('"x"') }, '{"content":"x"}'],
    [
      'ready bytes last, and a name to escape',
      { 'a"': 1, b: undefined, c: new Uint8Array([0x5b, 0x5d]) },
      '{"a\\"":1,"c":[]}',
    ],
    ['ready bytes in pieces', { a: [Buffer.from('["x"'), Buffer.from(',1]')], b: ['x'] }, '{"a":["x",1],"b":["x"]}'],
    ['several ready bytes', { a: Buffer.from('1'), b: Buffer.from('[2]') }, '{"a":1,"b":[2]}'],
  ] as const) {
    it(`has ${name}`, () => {
      assert.equal(joined(resultJson({ ok: true, result })).toString(), json);
    });
  }

  it('is the prepared JSON if there is one', () => {
    const json = Buffer.from('{"content":"x"}');
    const body = joined(resultJson({ ok: true, result: { content: json.subarray(11, 14) }, json }));
    assert.equal(body.buffer, json.buffer);
  });

  it('holds prepared bytes themselves, so a front copies them once', () => {
    const content = Buffer.from('"large"');
    assert.ok(resultParts({ ok: true, result: { content, total_lines: 1 } }).includes(content));
  });
});

describe('an error object', () => {
  it('has code and message, and the operation and the file in its data', () => {
    const { data, ...rest } = errorObject(failure('not_found', "File 'a' not found"), {
      operation: 'read_file',
      filename: 'a',
    });
    assert.deepEqual(rest, { code: -32001, message: "File 'a' not found" });
    assert.deepEqual(Object.keys(data), ['filename', 'operation', 'timestamp', 'details']);
    assert.equal(data.filename, 'a');
    assert.equal(data.operation, 'read_file');
    assert.equal(data.details, errorKinds.not_found.advice);
    assert.match(data.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('includes what the failure adds, and never its cause', () => {
    const refused = failure('changed', "File 'a' has changed", { data: { current_hash: 'ff' }, cause: 'secret' });
    const { data } = errorObject(refused);
    assert.deepEqual(Object.keys(data), ['timestamp', 'details', 'current_hash']);
    const failed = failure('internal', 'Internal error', { data: { errno: 'EIO', applied: 'unknown' } });
    assert.equal(errorObject(failed).data.errno, 'EIO');
    assert.equal(errorObject(failed).data.applied, 'unknown');
    assert.doesNotMatch(JSON.stringify(errorObject(refused)), /secret/);
  });

  it('echoes at most 255 characters of a name, well-formed', () => {
    const { data } = errorObject(failure('invalid_filename', 'Invalid filename format'), {
      operation: 'read_file',
      filename: `${'x'.repeat(254)}😀`,
    });
    assert.equal(data.filename, `${'x'.repeat(254)}\ufffd`);
  });
});
