/** Bodies of more than 1 MB, which a thread parses, compared with parseJson. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { configFromOptions } from '../../src/config/config.js';
import { failure, type Failure } from '../../src/core/errors.js';
import { keepBody, takeBodyMemory } from '../../src/core/memory/bodies.js';
import { parseJson, type Parsed, type Unread } from '../../src/core/json/json-body.js';
import { isLargeText } from '../../src/core/json/large-text.js';
import { sharedBytes } from '../../src/core/memory/shared.js';
import { createLog } from '../../src/observe/log.js';
import { largeTexts } from '../../src/core/operations.js';
import { BodyReader } from '../../src/pool/body-reader.js';
import { NoThread } from '../../src/pool/thread.js';
import { ThreadPool } from '../../src/pool/pool.js';
import type { Shard } from '../../src/pool/shard.js';
import { withDirectory } from '../directory.js';

const worker = new URL('../../dist/workers/main.cjs', import.meta.url);
const megabyte = 1_048_576;
const filler = 'x'.repeat(megabyte);
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

function shared(text: string | Buffer): Buffer<SharedArrayBuffer> {
  const bytes = Buffer.from(text);
  const copy = sharedBytes(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Large texts as strings, for comparison. */
function told(read: Parsed | Unread): unknown {
  const shown = (value: unknown): unknown => {
    if (isLargeText(value)) return Buffer.from(value).toString();
    if (Array.isArray(value)) return value.map(shown);
    if (typeof value !== 'object' || value === null) return value;
    return Object.entries(value).map(([name, member]) => [name, shown(member)]);
  };
  return read.ok ? shown(read.value) : read;
}

const bodies: Readonly<Record<string, string | Buffer>> = {
  'a text that stays bytes': JSON.stringify({ name: 'a', append: `${filler}"\u{1f600}\n` }),
  'two of them, in a message of MCP': JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    params: { name: 'edit_file', arguments: { edits: [{ content: filler }, { content: `${filler}2` }] } },
  }),
  'many texts': JSON.stringify({ edits: Array.from({ length: 1_000 }, () => ({ content: 'ä'.repeat(600) })) }),
  'members of the names that objects have': `{"__proto__":{"a":1},"constructor":2,"toString":null,"x":"${filler}"}`,
  'a member that is given twice': `{"append":"${filler}","append":"b"}`,
  'numbers that are hard to keep': `[-0,1e400,9007199254740993,0.1,"${filler}"]`,
  'no JSON': `{"append":"${filler}"x}`,
  'a string that is not closed': `{"append":"${filler}`,
  'bytes that are not UTF-8': Buffer.concat([Buffer.from(`{"append":"${filler}`), Buffer.from([0xff, 0x22, 0x7d])]),
  'too many values, with an outline': `{"id":7,"method":"tools/call","params":[${'1,'.repeat(megabyte)}1]}`,
  'a value alone': `"${filler}"`,
};

function withReader(use: (reader: Pick<ThreadPool, 'readBody'>) => Promise<void>): Promise<void> {
  return withDirectory({}, async (dir) => {
    const pool = new ThreadPool(configFromOptions({ dir, logLevel: 'silent' }), createLog('silent'), worker);
    try {
      await use(pool);
    } finally {
      await pool.shutDown();
    }
  });
}

describe('a body of more than 1 MB', () => {
  it('is parsed by a thread exactly as on the main thread', () =>
    withReader(async (reader) => {
      for (const [title, body] of Object.entries(bodies)) {
        const read = reader.readBody(shared(body), largeTexts);
        assert.ok(read instanceof Promise, title);
        assert.deepEqual(told(await read), told(parseJson(shared(body), largeTexts)), title);
      }
    }));

  it('keeps its large texts in the memory it arrived in', () =>
    withReader(async (reader) => {
      const body = shared(`{"append":"${filler}","x":{"content":"${filler}"}}`);
      const read = await reader.readBody(body, largeTexts);
      assert.ok(read.ok);
      const { append, x } = read.value as { append: unknown; x: { content: unknown } };
      for (const text of [append, x.content]) assert.ok(isLargeText(text) && text.buffer === body.buffer);
    }));

  it('comes back without values nested too deep to be inspected, which could not be copied', () =>
    withReader(async (reader) => {
      const read = await reader.readBody(
        shared(`{"a":${nested(60_000)},"b":${nested(60)},"x":"${filler}"}`),
        largeTexts,
      );
      assert.ok(read.ok);
      assert.equal(JSON.stringify(read.value), `{"a":${nested(64)},"b":${nested(60)},"x":"${filler}"}`);
    }));

  it('is refused when the time is up, as if a disk blocked its thread', async () => {
    const reader = new BodyReader(() => ({ readBody: () => new Promise(() => undefined) }), 20);
    const read = await reader.read(shared(`"${filler}"`), largeTexts);
    assert.ok(!read.ok && read.kind === 'timed_out', read.ok ? '' : read.message);
  });

  it('is parsed again by another thread if the first died before it began, and only then', async () => {
    const value = { x: 1 };
    for (const [begun, outcome] of [
      [0, { ok: true, value }],
      [1, 'died'],
    ] as const) {
      let deaths = 0;
      const reader = new BodyReader(
        () => ({
          readBody: (body) => {
            if (deaths++ > 0) return Promise.resolve({ ok: true, result: { value } });
            Atomics.store(new Int32Array(body.begun), 0, begun);
            return Promise.reject(new Error('died'));
          },
        }),
        1_000,
      );
      const read = Promise.resolve(reader.read(shared(`"${filler}"`), largeTexts));
      assert.deepEqual(await read.catch((error: unknown) => (error as Error).message), outcome);
    }
  });

  it('of a request that may write is delivered before later ones, but not without limit', async () => {
    let end = (): void => undefined;
    const reader = new BodyReader(
      () => ({
        readBody: () =>
          new Promise((resolve) => {
            end = () => {
              resolve({ ok: true, result: { value: 'large' } });
            };
          }),
      }),
      10_000,
    );
    const order: unknown[] = [];
    const take = (read: ReturnType<typeof reader.read>): void => {
      if (read instanceof Promise) void read.then((late) => order.push(late.ok && late.value));
      else order.push(read.ok && read.value);
    };
    const small = (name: string): Buffer => Buffer.from(JSON.stringify(name));
    take(reader.read(shared(`"${filler}"`), largeTexts));
    take(reader.read(small('small'), largeTexts));
    take(reader.read(small('a read'), new Set()));
    await setImmediate();
    assert.deepEqual(order, ['a read']);
    end();
    await setImmediate();
    await setImmediate();
    assert.deepEqual(order, ['a read', 'large', 'small']);
    take(reader.read(small('last'), largeTexts));
    assert.equal(order.at(-1), 'last', 'at once again');
  });

  it('is refused alone if its thread dies before its turn, and those after it keep their order', async () => {
    let end = (): void => undefined;
    const slow = new Promise<void>((resolve) => (end = resolve));
    let bodies = 0;
    const reader = new BodyReader(
      () => ({
        async readBody({ begun }) {
          Atomics.store(new Int32Array(begun), 0, 1);
          if (++bodies > 1) throw new Error('died');
          await slow;
          return { ok: true, result: { value: 'slow' } };
        },
      }),
      10_000,
    );
    const order: unknown[] = [];
    const take = async (read: ReturnType<typeof reader.read>): Promise<void> => {
      try {
        const ended = await read;
        order.push(ended.ok && ended.value);
      } catch (error) {
        order.push(String(error));
      }
    };
    const taken = [shared(`"${filler}"`), shared(`"${filler}"`), Buffer.from('"small"')].map((body) =>
      take(reader.read(body, largeTexts)),
    );
    // An unhandled rejection fails this test, as it would end the server.
    await setImmediate();
    assert.deepEqual(order, []);
    end();
    await Promise.all(taken);
    assert.deepEqual(order, ['slow', 'Error: died', 'small']);
  });

  it('passes its memory on, unless a thread may still be using it', async () => {
    type ReadBody = Shard['readBody'];
    const ended = (kind: 'parse_error' | 'shutting_down'): Promise<Failure> => Promise.resolve(failure(kind, kind));
    let calls = 0;
    const threads: Readonly<Record<string, readonly [free: boolean, readBody: ReadBody]>> = {
      'read, without texts': [true, () => Promise.resolve({ ok: true, result: { value: 1 } })],
      'no JSON': [true, () => ended('parse_error')],
      'a shutdown': [false, () => ended('shutting_down')],
      'time is up': [false, () => new Promise(() => undefined)],
      'a thread that died': [
        false,
        () => (calls++ === 0 ? Promise.reject(new Error('died')) : Promise.resolve({ ok: true, result: { value: 1 } })),
      ],
      'no thread': [false, () => Promise.reject(new NoThread(new Error('EAGAIN')))],
    };
    for (const [title, [free, readBody]] of Object.entries(threads)) {
      const reader = new BodyReader(() => ({ readBody }), 20);
      const memory = takeBodyMemory(filler.length + 2);
      await reader.read(keepBody(memory, memory.write(`"${filler}"`)), largeTexts);
      const taken = Array.from({ length: 9 }, () => takeBodyMemory(memory.length).buffer);
      assert.equal(taken.includes(memory.buffer), free, title);
    }
  });

  it('is refused once the server has ended, and starts no thread', () =>
    withDirectory({}, async (dir) => {
      const pool = new ThreadPool(configFromOptions({ dir, logLevel: 'silent' }), createLog('silent'), worker);
      await pool.shutDown();
      const read = await pool.readBody(shared(`{"x":"${filler}"}`), largeTexts);
      assert.equal(read.ok ? undefined : read.kind, 'shutting_down');
      assert.equal(pool.figures().threads, 0);
    }));

  it('is parsed on the main thread if there is no other', async () => {
    const reader = new BodyReader(() => ({ readBody: () => Promise.reject(new NoThread(new Error('none'))) }), 1_000);
    assert.deepEqual(await reader.read(shared(`{"x":"${filler}"}`), largeTexts), { ok: true, value: { x: filler } });
  });
});

describe('a smaller body', () => {
  it('is parsed immediately', () =>
    withReader(async (reader) => {
      assert.deepEqual(reader.readBody(shared('{"a":1}'), largeTexts), { ok: true, value: { a: 1 } });
    }));
});
