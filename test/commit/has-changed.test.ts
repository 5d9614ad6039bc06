import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorKinds } from '../../src/core/errors.js';
import type { Precondition } from '../../src/core/operations.js';
import { hasChanged } from '../../workers/commit/has-changed.js';

const current = '0123456789abcdef';
const other = 'fedcba9876543210';

function detailsOf(expected: string | undefined, precondition?: Precondition): string {
  const params = { name: 'a.txt', ...(expected === undefined ? {} : { expected_hash: expected }) };
  const { failure } = hasChanged(params, precondition, current);
  assert.equal(failure.kind, 'changed');
  assert.equal(failure.message, "File 'a.txt' has changed");
  assert.deepEqual(failure.data, { current_hash: current });
  return failure.details;
}

describe('a hash other than the expected one', () => {
  it('means another version, with the advice for its kind', () => {
    for (const details of [
      detailsOf(other),
      detailsOf(undefined, [other]),
      detailsOf(other, [other]),
      detailsOf(undefined, ['x', other]),
    ]) {
      assert.equal(details, errorKinds.changed.advice);
    }
  });

  for (const text of ['', `"${current}"`, current.toUpperCase(), `${current}00`, current.slice(1), 'g'.repeat(16)]) {
    it(`${JSON.stringify(text)} can be the hash of no file, and the advice explains the form`, () => {
      assert.match(
        detailsOf(text),
        /^Nothing was written: expected_hash is not written .* 16 lower-case hex digits\. /,
      );
    });
  }

  it('is never one in an If-Match without strong tags, or with foreign ones only', () => {
    for (const tags of [[], [''], ['x', current.toUpperCase()]]) {
      assert.match(
        detailsOf(undefined, tags),
        /^Nothing was written: If-Match holds no strong tag .* in its quotes\.$/,
      );
    }
  });

  it('means a missing file: the advice depends on whether it may be created', () => {
    assert.match(
      hasChanged({ name: 'a.txt', expected_hash: other }, undefined, undefined).failure.details,
      /list_files/,
    );
    for (const precondition of [undefined, '*', [other]] as const) {
      const params = { name: 'a.txt', create_if_missing: true };
      const { details, data } = hasChanged(params, precondition, undefined).failure;
      assert.match(details, /^Nothing was written: there is no file of this name, .* out to create it\.$/);
      assert.ok(details.includes(precondition === undefined ? 'Leave expected_hash' : 'Leave If-Match'));
      assert.equal(data, undefined);
    }
  });
});
