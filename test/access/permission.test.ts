/** Spec 16: a token that only reads is neither offered what writes nor let do it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mayUse, notAllowed } from '../../src/access/permission.js';
import { rows } from '../../src/core/operations.js';

const all = Object.values(rows);
const reading = ['list_files', 'read_file', 'view', 'grep', 'glob', 'history'];

describe('an operation', () => {
  it('is for every token if it only reads, and for no other than those that may write if it writes', () => {
    const used = (access: 'read' | 'write'): string[] =>
      all.filter((operation) => mayUse(operation, { name: 'a', access })).map(({ name }) => name);
    assert.deepEqual(new Set(used('read')), new Set(reading));
    assert.equal(used('write').length, all.length);
  });

  it('is for everyone without tokens', () => {
    assert.ok(all.every((operation) => mayUse(operation, undefined)));
  });

  it('says what it would take, whatever the parameters are', () => {
    for (const operation of all.filter(({ writes }) => writes)) {
      for (const params of [{}, null, undefined, [], 7, 'x', { name: 7 }, { path: {} }, { changes: 'x' }]) {
        const { kind, message, details } = notAllowed(operation, params);
        assert.deepEqual([kind, message], ['not_allowed', `Permission denied accessing '${operation.name}'`]);
        assert.match(details, /^Nothing was done: .* "access": "write"/);
      }
    }
    assert.match(notAllowed(rows.edit_file, { name: 'a.txt' }).message, /'a\.txt'$/);
  });
});
