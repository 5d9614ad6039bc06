import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '../../src/core/operations.js';
import { handlers } from '../../workers/handlers.js';

test('a row whose writes go in groups has a handler that takes groups, and no other has', () => {
  for (const { name, groups = false, writes } of operations.values()) {
    assert.equal(typeof handlers[name] === 'object', groups, name);
    assert.ok(writes || !groups, name);
  }
});
