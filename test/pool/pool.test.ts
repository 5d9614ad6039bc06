/** Calls with real threads, below all fronts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { configFromOptions } from '../../src/config/config.js';
import type { Options } from '../../src/config/flags.js';
import type { Outcome } from '../../src/errors.js';
import type { AnswerRoom } from '../../src/held-memory.js';
import { createLog } from '../../src/monitoring/log.js';
import { operations } from '../../src/operations.js';
import { createPool, type Pool } from '../../src/pool/pool.js';
import { withDirectory } from '../directory.js';

const worker = new URL('../../dist/workers/main.cjs', import.meta.url);
const large = '"'.repeat(400_000);

type Read = (name: string, room?: AnswerRoom) => Promise<Outcome>;

async function withReads(options: Options, use: (read: Read, pool: Pool) => Promise<void>): Promise<void> {
  await withDirectory({ 'large.txt': large, 'small.txt': 'one' }, async (dir) => {
    const pool = createPool(configFromOptions({ dir, logLevel: 'silent', ...options }), createLog('silent'), worker);
    const operation = operations.get('read_file') ?? assert.fail();
    try {
      await use((name, room) => pool.run(operation, { name }, { requestId: '', room }), pool);
    } finally {
      await pool.shutDown();
    }
  });
}

/** Room that grows; `asked` is told what for. */
function growing(bytes: number, asked: (bytes: number) => void): AnswerRoom {
  return {
    bytes,
    enlarge: async (more) => {
      asked(more);
      return growing(more, asked);
    },
  };
}

describe('a read whose answer has room for so many bytes', () => {
  it('asks for as many as it turns out to need, first by the size of the file, then by that of the answer', () =>
    withReads({}, async (read) => {
      const asked: number[] = [];
      const outcome = await read(
        'large.txt',
        growing(1_000, (bytes) => asked.push(bytes)),
      );
      assert.ok(outcome.ok && outcome.json !== undefined);
      assert.equal(asked.length, 2, String(asked));
      const [first = 0, second = 0] = asked;
      assert.ok(first > large.length && first < 2 * large.length, String(first));
      // Every quote is escaped.
      assert.ok(outcome.json.byteLength > 2 * large.length);
      assert.ok(second >= outcome.json.byteLength && second < outcome.json.byteLength + 2_000, String(second));
    }));

  it('asks for nothing if that is enough', () =>
    withReads({}, async (read) => {
      const room = growing(1_000_000, () => assert.fail('there is enough'));
      for (const name of ['large.txt', 'small.txt']) {
        const outcome = await read(name, room);
        assert.ok(outcome.ok, inspect(outcome));
      }
    }));

  it('has no limit where none is given', () =>
    withReads({}, async (read) => {
      assert.ok((await read('large.txt')).ok);
    }));

  it('is not refused for those who came while it waited for more', () =>
    withReads({ maxConcurrent: 1, maxQueue: 0 }, async (read, pool) => {
      let other: Promise<Outcome> | undefined;
      const outcome = await read('large.txt', {
        bytes: 1_000,
        enlarge: async () => {
          // Nothing is done for it any more, and another call is let in.
          await setImmediate();
          other = read('small.txt');
          assert.equal(pool.figures().unanswered, 1);
          return growing(1_000_000, () => undefined);
        },
      });
      assert.ok(outcome.ok, inspect(outcome));
      assert.equal((await other)?.ok, true);
    }));

  it('keeps no server from ending while it waits for more', () =>
    withReads({}, async (read, pool) => {
      let grant: (room: AnswerRoom) => void = () => undefined;
      let reading: Promise<Outcome> | undefined;
      const asked = new Promise<void>((resolve) => {
        const room = {
          bytes: 1_000,
          enlarge: (): Promise<AnswerRoom> => {
            resolve();
            return new Promise((granted) => (grant = granted));
          },
        };
        reading = read('large.txt', room);
      });
      await asked;
      assert.equal(pool.figures().unanswered, 0, 'as one that waits to begin');
      await pool.shutDown();
      grant(growing(1_000_000, () => undefined));
      const outcome = await reading;
      assert.equal(outcome?.ok === false && outcome.kind, 'shutting_down');
    }));
});
