import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '../../src/core/operations.js';
import { handlers } from '../../workers/handlers.js';

test('exactly the rows whose writes go in groups have a group handler', () => {
  for (const { name, groups = false, writes } of operations.values()) {
    assert.equal(typeof handlers[name] === 'object', groups, name);
    assert.ok(writes || !groups, name);
  }
});
