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

  it('for an absolute path below the directory name the one to send, however the directory is spelled', async () => {
    const idle = new Idle(() => undefined);
    const call = createCall({
      config: { names: 'portable', logLevel: 'silent', directory: '/srv/files', givenDirectory: '/home/me/link' },
      pool: { run: () => Promise.resolve({ ok: true, result: {} }) },
      cache: new ReadCache('/', 0),
      idle,
      log: createLog('silent'),
    });
    const detailsOf = async (...[operation, params, context]: Parameters<typeof call>): Promise<string> => {
      const outcome = await call(operation, params, context);
      assert.ok(!outcome.ok);
      assert.equal(outcome.kind, operation.filename === undefined ? 'path_security' : 'invalid_filename');
      return outcome.details;
    };
    const context = { front: 'rest', requestId: '' } as const;
    for (const above of ['/srv/files', '/home/me/link']) {
      const relative = "Send 'sub/a.txt' instead.";
      assert.equal(await detailsOf(rows.view, { path: `${above}/sub/a.txt` }, context), relative);
      const moved = { old_path: 'b.txt', new_path: `${above}/sub/a.txt` };
      assert.equal(await detailsOf(rows.rename, moved, context), relative);
      const plain = "The name is an absolute path. Send 'a.txt'.";
      assert.equal(await detailsOf(rows.read_file, { name: `${above}/a.txt` }, context), plain);
      assert.match(
        await detailsOf(rows.read_file, { name: `${above}/sub/a.txt` }, context),
        /For files in subdirectories/,
      );
    }
    assert.match(await detailsOf(rows.read_file, { name: '/srv/a.txt' }, context), /Use a plain file name/);
    idle.close();
  });
});
