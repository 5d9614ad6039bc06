import assert from 'node:assert/strict';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { CallPath, type MakeCall } from '../../src/call/call.js';
import type { Config } from '../../src/config/config.js';
import { identityOf } from '../../src/core/file-identity.js';
import { Idle } from '../../src/observe/idle.js';
import { Budget } from '../../src/call/budget.js';
import { createLog } from '../../src/observe/log.js';
import { rows, type OperationName } from '../../src/core/operations.js';
import type { Pool } from '../../src/pool/pool.js';
import { ReadCache } from '../../src/call/read-cache.js';
import { withDirectory } from '../directory.js';

const megabyte = 1_048_576;
const context = { front: 'rest', requestId: '' } as const;

interface Path {
  readonly calls: CallPath;
  readonly call: MakeCall;
  readonly cache: ReadCache;
  readonly idle: Idle;
}

function pathTo(
  run: Pool['run'],
  {
    directory = '/',
    givenDirectory = directory,
    budget = new Budget(256 * megabyte),
  }: Partial<Pick<Config, 'directory' | 'givenDirectory'>> & { budget?: Budget } = {},
): Path {
  const idle = new Idle(() => undefined);
  const cache = new ReadCache(directory, 64 * megabyte);
  const calls = new CallPath({
    config: {
      names: 'portable',
      logLevel: 'silent',
      directory,
      givenDirectory,
      toolsets: ['files'],
      readOnly: false,
      history: undefined,
      caller: undefined,
      maxBytes: 10 * megabyte,
    },
    pool: { run },
    cache,
    budget,
    idle,
    log: createLog('silent'),
  });
  return { calls, call: calls.make, cache, idle };
}

describe('refused calls', () => {
  it('may wait for each other, but never delay a call that runs', async () => {
    const made: unknown[] = [];
    const { call, idle } = pathTo((_, params) => {
      made.push(params);
      return Promise.resolve({ ok: true, result: {} });
    });
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

  it('are told the relative path for an absolute one inside the directory, however it is spelled', async () => {
    const { call, idle } = pathTo(() => Promise.resolve({ ok: true, result: {} }), {
      directory: '/srv/files',
      givenDirectory: '/home/me/link',
    });
    const detailsOf = async (...[operation, params, context]: Parameters<typeof call>): Promise<string> => {
      const outcome = await call(operation, params, context);
      assert.ok(!outcome.ok);
      assert.equal(outcome.kind, operation.filename === undefined ? 'path_security' : 'invalid_filename');
      return outcome.details;
    };
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

describe('calls and the memory for their answers', () => {
  const small = { name: 'small.txt' };
  const large = { name: 'large.txt' };
  /** Large calls may hold 56 MB, two reads of the large file 48: JSON may be six times the file. */
  const limit = 64 * megabyte;

  interface Served extends Path {
    readonly directory: string;
    readonly budget: Budget;
    /** Names of the operations that were run. */
    readonly made: OperationName[];
    /** Ends the first running call. */
    readonly end: () => void;
  }

  async function withFiles(use: (served: Served) => Promise<void>): Promise<void> {
    await withDirectory({ 'small.txt': 'one', 'large.txt': 'x'.repeat(4 * megabyte) }, async (directory) => {
      const budget = new Budget(limit);
      const made: OperationName[] = [];
      const ends: (() => void)[] = [];
      const run: Pool['run'] = async ({ name }) => {
        made.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return { ok: true, result: {} };
      };
      const path = pathTo(run, { directory, budget });
      await use({ ...path, directory, budget, made, end: () => ends.shift()?.() });
      path.idle.close();
    });
  }

  it('begin while the files fit as JSON; then they queue in order, and none runs twice', () =>
    withFiles(async ({ call, budget, made, end }) => {
      budget.hold('other', 1);
      const reads = [1, 2, 3, 4].map(() => call(rows.read_file, large, context));
      assert.equal(made.length, 2);
      end();
      await reads[0];
      assert.equal(made.length, 2, 'its answer may have to be counted');
      await setImmediate();
      assert.equal(made.length, 3);
      for (let ended = 0; ended < 3; ended++) {
        end();
        await setImmediate();
        await setImmediate();
      }
      for (const read of reads) assert.ok((await read).ok);
      assert.equal(made.length, 4);
    }));

  it('cost as much as the largest file if there is room, since a stat may block forever', () =>
    withFiles(async ({ call, budget, end }) => {
      const read = call(rows.read_file, small, context);
      assert.equal(budget.hasRoom(1), false);
      end();
      await read;
      await setImmediate();
      assert.ok(budget.hasRoom(56 * megabyte));
    }));

  it('begin immediately if they are small or write, whatever large calls wait for', () =>
    withFiles(async ({ call, budget, made }) => {
      budget.hold('large', 56 * megabyte);
      void call(rows.read_file, large, context);
      for (const [operation, params] of [
        [rows.read_file, small],
        [rows.view, { path: 'small.txt' }],
        [rows.view, { path: '' }],
        [rows.list_files, {}],
        [rows.edit_file, { ...large, append: 'x' }],
        [rows.read_file, { name: 'missing.txt' }],
      ] as const) {
        void call(operation, params, context);
        assert.equal(made.at(-1), operation.name);
      }
      assert.equal(made.length, 6);
      await setImmediate();
    }));

  it('do not wait for memory that was reserved for their batch', () =>
    withFiles(async ({ call, budget, made }) => {
      budget.hold('large', limit);
      void call(rows.read_file, large, { ...context, admitted: true });
      await setImmediate();
      assert.equal(made.length, 1);
    }));

  it('are answered from the cache when there is room, with the current file', () =>
    withFiles(async ({ calls, cache, directory, budget, made, end, call }) => {
      const checked = calls.check(rows.read_file, large);
      const { cacheKey = '' } = checked;
      const identity = identityOf(lstatSync(join(directory, 'large.txt'), { bigint: true }));
      cache.keep(cacheKey, 'large.txt', { ok: true, result: {}, json: Buffer.alloc(4 * megabyte), identity });
      assert.ok(!(calls.run(checked, context) instanceof Promise));
      await setImmediate();
      budget.hold('large', 55 * megabyte);
      const [waiting, second] = [calls.run(checked, context), call(rows.read_file, large, context)];
      assert.ok(waiting instanceof Promise);
      cache.clear();
      budget.release('large', 55 * megabyte);
      assert.deepEqual(made, ['read_file', 'read_file']);
      end();
      end();
      assert.ok((await waiting).ok && (await second).ok);
    }));

  it('are dropped from the queue if they only read and their client has left', () =>
    withFiles(async ({ call, budget, made }) => {
      const recipient = { gone: false };
      budget.hold('large', limit);
      const read = call(rows.read_file, large, { ...context, recipient });
      recipient.gone = true;
      budget.release('large', limit);
      const outcome = await read;
      assert.ok(!outcome.ok && outcome.kind === 'cancelled');
      assert.equal(made.length, 0);
      assert.ok(budget.begin('large', 56 * megabyte), 'nothing is held any more');
    }));

  it('run anyway if they write', () =>
    withFiles(async ({ call, budget, made }) => {
      budget.hold('small', limit);
      const write = call(rows.edit_file, { ...small, append: 'x' }, { ...context, recipient: { gone: true } });
      assert.equal(made.length, 0);
      budget.release('small', limit);
      assert.deepEqual(made, ['edit_file']);
      void write;
    }));

  it('are answered immediately if cancelled while they wait', () =>
    withFiles(async ({ call, budget, made }) => {
      budget.hold('large', limit);
      const cancellation = new AbortController();
      const read = call(rows.read_file, large, { ...context, signal: cancellation.signal });
      cancellation.abort();
      const outcome = await read;
      assert.ok(!outcome.ok && outcome.kind === 'cancelled');
      budget.release('large', limit);
      assert.equal(made.length, 0);
      assert.ok(budget.begin('large', 56 * megabyte), 'nothing is held any more');
    }));
});
