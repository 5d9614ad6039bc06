import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCall } from '../src/call.js';
import { Idle } from '../src/idle.js';
import { createLog } from '../src/monitoring/log.js';
import { rows } from '../src/operations.js';
import { ReadCache } from '../src/read-cache.js';

describe('calls that are refused', () => {
  it('may wait for each other, but no call that is made waits for them', async () => {
    const made: unknown[] = [];
    const idle = new Idle(() => undefined);
    const call = createCall({
      config: { names: 'portable', logLevel: 'silent', directory: '/', givenDirectory: '/' },
      pool: {
        run: (_, params) => {
          made.push(params);
          return Promise.resolve({ ok: true, result: {} });
        },
      },
      cache: new ReadCache('/', 0),
      idle,
      log: createLog('silent'),
    });
    const context = { front: 'rest', requestId: '' } as const;
    const unknown = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`nmae${String(index)}`, 1]));
    const refused = Array.from({ length: 500 }, () => call(rows.edit_file, unknown, context));
    const edit = { name: 'a.txt', append: 'a' };
    const answer = call(rows.edit_file, edit, context);
    assert.deepEqual(made, [edit]);
    assert.ok(
      refused.some((outcome) => outcome instanceof Promise),
      'some wait',
    );
    for (const outcome of await Promise.all(refused.map((outcome) => Promise.resolve(outcome))))
      assert.ok(!outcome.ok && outcome.kind === 'invalid_params');
    assert.deepEqual(await answer, { ok: true, result: {} });
    assert.equal(made.length, 1);
    idle.close();
  });
});
