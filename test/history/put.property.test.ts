import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../fast-check.js';
import { mostPut, putOf, withPut } from '../../workers/history/put.js';

const part = fc.constantFrom('a', 'b\n', 'line\n', '漢', 'é\r\n', '');
const text = fc.array(part, { maxLength: 30 }).map((parts) => Buffer.from(parts.join('')));
const bytes = fc.oneof(
  text,
  fc.uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all)),
);

test('what a change put in rebuilds the new bytes from the old ones, also as JSON', () => {
  fc.assert(
    fc.property(bytes, bytes, (old, next) => {
      const put = putOf(old, next);
      assert.ok(put);
      assert.deepEqual(withPut(old, JSON.parse(JSON.stringify(put)) as typeof put), next);
    }),
    { numRuns: 1_000 },
  );
});

test('a change that put in more than 64 kB is not kept', () => {
  const old = Buffer.from('a\nb\n');
  assert.ok(putOf(old, Buffer.from(`a\n${'x'.repeat(mostPut)}b\n`)));
  assert.equal(putOf(old, Buffer.from(`a\n${'x'.repeat(mostPut + 1)}b\n`)), undefined);
  assert.equal(putOf(Buffer.alloc(mostPut + 1, 'y'), Buffer.alloc(mostPut + 1, 'x')), undefined);
});
