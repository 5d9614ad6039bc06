import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Piscina } from 'piscina';
import { closingBytes } from '../../workers/closing.js';
import { NoThread } from '../../src/pool/no-thread.js';
import { Thread } from '../../src/pool/thread.js';

describe('a thread that the system refuses to start', () => {
  it('fails the call that needs it, and rejects nothing that nobody waits for', async () => {
    let unhandled = 0;
    const count = (): void => {
      unhandled++;
    };
    process.on('unhandledRejection', count);
    const pool = new Piscina<undefined, never>({
      filename: 'data:text/javascript,export default () => undefined',
      minThreads: 0,
      maxThreads: 1,
      // The constructor of a Worker throws, as it does for want of threads.
      execArgv: ['--no-such-option'],
    });
    try {
      const thread = new Thread(pool, new SharedArrayBuffer(closingBytes), {
        died: () => undefined,
        ended: () => undefined,
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
