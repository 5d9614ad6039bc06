import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { closingBytes } from '../../src/core/thread/closing.js';
import type { Task } from '../../src/core/thread/task.js';
import { NoThread, Slots, Thread } from '../../src/pool/thread.js';
import { eventually } from '../reliability/server.js';

const usual = { refusal: () => undefined, failed: () => undefined, ended: () => undefined };

describe('a thread that the system refuses to start', () => {
  it('fails the call that needs it, and rejects no other promise', async () => {
    let unhandled = 0;
    const count = (): void => {
      unhandled++;
    };
    process.on('unhandledRejection', count);
    const pool = new Piscina<undefined, never>({
      filename: 'data:text/javascript,export default () => undefined',
      minThreads: 0,
      maxThreads: 1,
      // The constructor of a Worker throws, as when the system has no threads left.
      execArgv: ['--no-such-option'],
    });
    try {
      const thread = new Thread(pool, new SharedArrayBuffer(closingBytes), {
        ...usual,
        died: () => undefined,
      });
      await assert.rejects(() => thread.sweep(), NoThread);
      await thread.destroy();
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(unhandled, 0);
    } finally {
      process.off('unhandledRejection', count);
    }
  });
});

describe('the death of a thread', () => {
  const filename = fileURLToPath(new URL('fixtures/mortal-worker.mjs', import.meta.url));
  const task: Task = { operation: 'read_file', calls: [] };

  async function withThread(use: (thread: Thread, deaths: string[]) => Promise<void>): Promise<void> {
    const deaths: string[] = [];
    const options = { minThreads: 0, maxThreads: 1, concurrentTasksPerWorker: 3, idleTimeout: 9_000 } as const;
    const thread = new Thread(
      new Piscina({ filename, ...options, atomics: 'disabled' }),
      new SharedArrayBuffer(closingBytes),
      {
        ...usual,
        died: (error) => deaths.push(String(error)),
      },
    );
    try {
      await use(thread, deaths);
    } finally {
      await thread.destroy();
    }
  }

  it('is reported once, however many calls it had, and so is that of its successor', () =>
    withThread(async (thread, deaths) => {
      for (const calls of [3, 1, 2]) {
        const ends = await Promise.allSettled(Array.from({ length: calls }, () => thread.sweep()));
        assert.ok(ends.every(({ status }) => status === 'rejected'));
        assert.deepEqual(deaths.splice(0), ['Error: worker exited with code: 7']);
      }
    }));

  it('is reported if it had no calls', () =>
    withThread(async (thread, deaths) => {
      const body = { bytes: new Uint8Array(new SharedArrayBuffer(1)), largeTexts: new Set<string>() };
      for (let time = 0; time < 2; time++) {
        await thread.readBody({ ...body, begun: new SharedArrayBuffer(4) });
        assert.ok(await eventually(() => deaths.length > 0));
        assert.deepEqual(deaths.splice(0), ['Error: outside of every call']);
      }
    }));

  it('is not reported for a thread that was ended, even with answers in transit', () =>
    withThread(async (thread, deaths) => {
      await thread.run(task);
      const [first, second] = [thread.run(task), thread.run(task)];
      await first;
      await Promise.all([thread.destroy(), assert.rejects(second)]);
      await sleep(50);
      assert.deepEqual(deaths, []);
    }));
});

describe('the channel to a thread', () => {
  it('starts no thread once it is closed', async () => {
    const slots = new Slots(() => assert.fail('a thread is started'));
    await slots.close();
    await assert.rejects(slots.thread(), NoThread);
  });
});
