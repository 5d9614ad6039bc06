/** Calls with real threads, below all fronts. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { configFromOptions } from '../../src/config/config.js';
import type { Options } from '../../src/config/arguments.js';
import type { Outcome } from '../../src/errors.js';
import { parseJson } from '../../src/json/json-body.js';
import { isLargeText } from '../../src/json/large-text.js';
import { lendBody } from '../../src/json/lent-texts.js';
import { keepBody, takeBodyMemory } from '../../src/memory/bodies.js';
import type { AnswerRoom } from '../../src/memory/held.js';
import { createLog } from '../../src/monitoring/log.js';
import { rows, type Params } from '../../src/operations.js';
import { ThreadPool, type Pool } from '../../src/pool/pool.js';
import { withDirectory } from '../directory.js';

const worker = new URL('../../dist/workers/main.cjs', import.meta.url);
const large = '"'.repeat(400_000);

type Read = (name: string, room?: AnswerRoom) => Promise<Outcome>;

async function withPool(options: Options, use: (pool: Pool, dir: string) => Promise<void>): Promise<void> {
  await withDirectory({ 'large.txt': large, 'small.txt': 'one' }, async (dir) => {
    const pool = new ThreadPool(
      configFromOptions({ dir, logLevel: 'silent', ...options }),
      createLog('silent'),
      worker,
    );
    try {
      await use(pool, dir);
    } finally {
      await pool.shutDown();
    }
  });
}

function withReads(options: Options, use: (read: Read, pool: Pool) => Promise<void>): Promise<void> {
  const operation = rows.read_file;
  return withPool(options, (pool) => use((name, room) => pool.run(operation, { name }, { room }), pool));
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

describe('a write whose report is larger than its room', () => {
  const operation = rows.apply_edits;
  const edit = (pool: Pool, old_string: string, new_string: string, room?: AnswerRoom): Promise<Outcome> => {
    const params = { path: 'large.txt', edits: [{ old_string, new_string }], replace_all: true };
    return pool.run(operation, params, { room });
  };
  /** So many that their line numbers take more than the call may answer at once. */
  const lines = large.replaceAll('"', 'a\n');

  it('is made once there is as much, and later writes of its file find what it has made', () =>
    withPool({}, async (pool, dir) => {
      await writeFile(join(dir, 'large.txt'), lines);
      let grant: (room: AnswerRoom) => void = () => undefined;
      let waiting: Promise<Outcome> | undefined;
      const asked = new Promise<number>((resolve) => {
        const enlarge = (bytes: number): Promise<AnswerRoom> => {
          resolve(bytes);
          return new Promise((granted) => (grant = granted));
        };
        waiting = edit(pool, 'a', 'b', { bytes: 1_000, enlarge });
      });
      const few = edit(pool, 'b', 'b', { bytes: 1_000, enlarge: () => assert.fail('it reports nothing') });
      const bytes = await asked;
      assert.equal(await readFile(join(dir, 'large.txt'), 'utf8'), lines);
      grant(growing(bytes, () => assert.fail('it has as much as it has asked for')));
      const outcome = await waiting;
      assert.ok(outcome?.ok, inspect(outcome));
      assert.ok((await few).ok);
      const { total_replacements, replacements } = outcome.result;
      assert.equal(total_replacements, 400_000);
      assert.ok(JSON.stringify(replacements).length <= bytes);
      assert.equal(await readFile(join(dir, 'large.txt'), 'utf8'), lines.replaceAll('a', 'b'));
    }));

  it('is refused, and nothing is written, where there will never be as much', () =>
    withPool({}, async (pool, dir) => {
      await writeFile(join(dir, 'large.txt'), lines);
      const outcome = await edit(pool, 'a', 'b', { bytes: 1_000, enlarge: () => Promise.resolve(null) });
      assert.equal(outcome.ok ? undefined : outcome.kind, 'too_large', inspect(outcome));
      assert.equal(await readFile(join(dir, 'large.txt'), 'utf8'), lines);
    }));

  it('is refused, and keeps nobody waiting, if the server ends while it waits for more', () =>
    withPool({}, async (pool, dir) => {
      await writeFile(join(dir, 'large.txt'), lines);
      let waiting: Promise<Outcome> | undefined;
      await new Promise<void>((asked) => {
        const enlarge = (): Promise<AnswerRoom> => {
          asked();
          return new Promise(() => undefined);
        };
        waiting = edit(pool, 'a', 'b', { bytes: 1_000, enlarge });
      });
      await pool.shutDown();
      assert.equal(pool.isBusy(), false, 'it had to be given up');
      const outcome = await waiting;
      assert.equal(outcome?.ok === false && outcome.kind, 'shutting_down');
      assert.equal(await readFile(join(dir, 'large.txt'), 'utf8'), lines);
    }));

  it('is made where there is no limit', () =>
    withPool({}, async (pool, dir) => {
      await writeFile(join(dir, 'large.txt'), lines);
      assert.ok((await edit(pool, 'a', 'b')).ok);
    }));
});

describe('the memory of a large text', () => {
  /** Parameters of an append, in memory as of a body that has been received and read. */
  function received(): Params['edit_file'] {
    const json = JSON.stringify({ name: 'small.txt', append: large.replaceAll('"', 'x') });
    const taken = takeBodyMemory(json.length);
    const body = keepBody(taken, taken.write(json));
    const read = parseJson(body, new Set(['append']));
    assert.ok(read.ok);
    lendBody(body, read);
    const params = read.value as Params['edit_file'];
    assert.ok(isLargeText(params.append));
    return params;
  }
  /** Whether it serves the next body; it is taken by that. */
  const isFree = ({ append }: Params['edit_file']): boolean => {
    assert.ok(isLargeText(append));
    const { buffer } = append;
    return Array.from({ length: 20 }, () => takeBodyMemory(buffer.byteLength).buffer).includes(buffer);
  };

  it('serves the next body when its call was refused before any thread has seen it', () =>
    withPool({ maxConcurrent: 1, maxQueue: 1 }, async (pool) => {
      const append = (params: Params['edit_file'], signal?: AbortSignal): Promise<Outcome> =>
        pool.run(rows.edit_file, params, { ...(signal === undefined ? {} : { signal }) });
      const kindOf = (outcome: Outcome): string => ('kind' in outcome ? outcome.kind : 'done');
      const [executed, left, refused, late] = [received(), received(), received(), received()];
      const leaving = new AbortController();
      const running = append(executed);
      const waiting = append(left, leaving.signal);
      assert.equal(kindOf(await append(refused)), 'busy');
      assert.ok(isFree(refused));
      leaving.abort();
      assert.equal(kindOf(await waiting), 'cancelled');
      await setImmediate();
      assert.ok(isFree(left));
      assert.equal(kindOf(await running), 'done');
      await setImmediate();
      assert.ok(isFree(executed));
      await pool.shutDown();
      assert.equal(kindOf(await append(late)), 'shutting_down');
      assert.ok(isFree(late));
    }));
});

describe('leftovers of killed processes', () => {
  it('keep no server from starting, even if they cannot be removed', () =>
    withPool({}, async (pool, dir) => {
      const reserved = join(dir, '.file-editor');
      await mkdir(reserved);
      const leftover = join(reserved, '0123456789abcdef01234567.tmp');
      await writeFile(leftover, '');
      // A socket cannot be opened like a file (ENXIO).
      const inTheWay = createServer().listen(join(reserved, '.gitignore'));
      await once(inTheWay, 'listening');
      await pool.prepare();
      assert.ok(existsSync(leftover));
      inTheWay.close();
      await once(inTheWay, 'close');
      await pool.prepare();
      assert.ok(!existsSync(leftover), 'by the next one that starts');
    }));
});
