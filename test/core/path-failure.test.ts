import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf, failure, statusOf, type ErrorKindName, type FailureData } from '../../src/core/errors.js';
import { operations, type Operation } from '../../src/core/operations.js';
import { asToldBy } from '../../src/core/path-failure.js';
import { validate } from '../../src/call/validation/index.js';

function row(name: string): Operation {
  const operation = operations.get(name);
  assert.ok(operation);
  return operation;
}

const told = (kind: ErrorKindName, errno?: string, operation = 'create'): unknown[] => {
  const params = operation === 'rename' ? { old_path: 'a', new_path: 'b' } : { path: 'a/b' };
  const failed = asToldBy(
    row(operation),
    params,
    failure(kind, 'As it was', errno === undefined ? {} : { data: { errno } }),
  );
  return [failed.data?.reason, codeOf(failed), statusOf(failed), failed.message, failed.data?.path];
};

describe('a failure of a storage tool', () => {
  const cases: readonly (readonly [ErrorKindName, string | undefined, string, number, number, string?])[] = [
    ['invalid_params', undefined, 'invalid_params', -32602, 400],
    ['path_security', undefined, 'path_security', -32602, 400],
    ['invalid_range', undefined, 'invalid_line_number', -32001, 400],
    ['not_found', undefined, 'file_not_found', -32001, 404],
    ['no_directory', undefined, 'file_not_found', -32001, 404],
    ['file_exists', undefined, 'file_exists', -32001, 409],
    ['directory_not_empty', undefined, 'directory_not_empty', -32001, 409],
    ['modified_concurrently', undefined, 'conflict', -32001, 409],
    ['changed', undefined, 'conflict', -32001, 412],
    ['is_directory', undefined, 'is_directory', -32001, 400],
    ['not_a_directory', undefined, 'not_a_directory', -32001, 400],
    ['not_a_regular_file', undefined, 'not_a_file', -32001, 400],
    ['string_not_found', undefined, 'string_not_found', -32001, 400],
    ['string_not_unique', undefined, 'string_not_unique', -32001, 400],
    ['invalid_encoding', undefined, 'invalid_encoding', -32001, 400],
    ['not_utf8', undefined, 'binary_file', -32001, 400, 'Cannot perform text operation on binary file'],
    ['permission_denied', 'EACCES', 'permission_denied', -32001, 403, 'Permission denied: a/b'],
    ['write_denied', 'EPERM', 'permission_denied', -32001, 403, 'Permission denied: a/b'],
    ['not_allowed', undefined, 'permission_denied', -32001, 403, 'Permission denied: a/b'],
    ['directory_denied', undefined, 'permission_denied', -32001, 403],
    ['too_large', undefined, 'file_too_large', -32001, 413],
    ['too_many_lines', undefined, 'file_too_large', -32001, 413],
    ['write_failed', 'ENOSPC', 'disk_full', -32001, 507, 'Insufficient disk space'],
    ['write_failed', 'EDQUOT', 'disk_full', -32001, 507, 'Insufficient disk space'],
    ['write_failed', 'EIO', 'io_error', -32001, 500],
    ['read_failed', 'EIO', 'io_error', -32001, 500],
    ['not_durable', 'EIO', 'io_error', -32001, 500],
    ['internal', undefined, 'io_error', -32001, 500],
    ['busy', undefined, 'busy', -32001, 503],
    ['shutting_down', undefined, 'busy', -32001, 503],
    ['lock_timeout', undefined, 'timeout', -32001, 504],
    ['timed_out', undefined, 'timeout', -32001, 504],
  ];
  for (const [kind, errno, reason, code, status, message = 'As it was'] of cases) {
    it(`${kind}${errno === undefined ? '' : ` (${errno})`} is ${reason}`, () => {
      assert.deepEqual(told(kind, errno), [reason, code, status, message, 'a/b']);
    });
  }

  it('names no path if two are given and it may concern either', () => {
    assert.equal(told('write_denied', 'EACCES', 'rename')[3], 'Permission denied');
  });

  it('names the path it concerns, if known', () => {
    const about = failure('file_exists', 'File already exists: b', { data: { path: 'b' } });
    assert.equal(asToldBy(row('rename'), { old_path: 'a', new_path: 'b' }, about).data?.path, 'b');
  });

  it('names the path of the refused parameter, and none if that holds no path', () => {
    const pathOf = (params: object): unknown => {
      const refused = validate(row('rename'), params);
      assert.ok(refused);
      return asToldBy(row('rename'), params, refused).data?.path;
    };
    assert.equal(pathOf({ old_path: 'a', new_path: '\ud800' }), '\ud800');
    assert.equal(pathOf({ old_path: '\ud800', new_path: 'b' }), '\ud800');
    assert.equal(pathOf({ old_path: 'a', new_path: 5 }), undefined);
    assert.equal(pathOf({ old_path: 'a', new_path: 'b', other: 'c' }), 'a');
  });

  it('of one change of several says which, and what its own operation would say', () => {
    const params = {
      changes: [
        { path: 'a', edits: [{ old_string: 'x', new_string: 'y' }], delete: false },
        { path: 'b', content: 'x' },
        { path: 'c', delete: true },
        { path: 'd', rename_to: 'e' },
      ],
    };
    const tellsOf = (change: number, kind: ErrorKindName, more: FailureData = {}): unknown => {
      const failed = failure(kind, 'As it was', { data: { change, ...more } });
      const { message, data } = asToldBy(row('apply_changes'), params, failed);
      return [message, data];
    };
    assert.deepEqual(tellsOf(1, 'not_found'), [
      'Change 1 of 4 (a) failed: As it was. Check that file exists.',
      { change: 1, reason: 'file_not_found', path: 'a' },
    ]);
    assert.deepEqual(tellsOf(2, 'file_exists', { current_hash: '01' }), [
      'Change 2 of 4 (b) failed: As it was',
      { change: 2, current_hash: '01', reason: 'file_exists', path: 'b' },
    ]);
    assert.deepEqual(tellsOf(3, 'write_denied'), [
      'Change 3 of 4 (c) failed: Permission denied: c',
      { change: 3, reason: 'permission_denied', path: 'c' },
    ]);
    assert.deepEqual(tellsOf(4, 'write_denied'), [
      'Change 4 of 4 (d) failed: Permission denied',
      { change: 4, reason: 'permission_denied', path: 'd' },
    ]);
    assert.deepEqual(tellsOf(4, 'file_exists', { path: 'e' }), [
      'Change 4 of 4 (d) failed: As it was',
      { change: 4, reason: 'file_exists', path: 'e' },
    ]);
  });

  it('shows the path of a change on one line, well-formed and not longer than a path may be', () => {
    const changes = [{ path: `a\nb\ud800${'x'.repeat(1_000_000)}`, delete: true }];
    const failed = failure('invalid_params', 'As it was', { data: { change: 1 } });
    const { message } = asToldBy(row('apply_changes'), { changes }, failed);
    assert.match(message, /^Change 1 of 1 \(a\\nb\ufffdx{4092}…\) failed: As it was$/);
  });

  it('of several changes together names no path', () => {
    const { message, data } = asToldBy(row('apply_changes'), { changes: [{ path: 'a' }] }, failure('write_denied', ''));
    assert.deepEqual([message, data], ['Permission denied', { reason: 'permission_denied' }]);
  });

  it('keeps whatever else is known about it', () => {
    const failed = failure('not_durable', 'm', { details: 'Look.', data: { applied: true, errno: 'EIO' }, cause: 'c' });
    assert.deepEqual(asToldBy(row('delete'), { path: 'a' }, failed), {
      ...failed,
      data: { applied: true, errno: 'EIO', reason: 'io_error', path: 'a' },
    });
  });
});
