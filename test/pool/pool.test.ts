/** Calls with real threads, below all fronts. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { configFromOptions } from '../../src/config/config.js';
import type { Options } from '../../src/config/arguments.js';
import type { Outcome } from '../../src/core/errors.js';
import { parseJson } from '../../src/core/json/json-body.js';
import { isLargeText } from '../../src/core/json/large-text.js';
import { lendBody } from '../../src/core/json/lent-texts.js';
import { keepBody, takeBodyMemory } from '../../src/core/memory/bodies.js';
import { createLog } from '../../src/observe/log.js';
import { rows, type Params } from '../../src/core/operations.js';
import { ThreadPool, type Pool } from '../../src/pool/pool.js';
import { withDirectory } from '../directory.js';
import { needs } from '../needs.js';

const worker = new URL('../../dist/workers/main.cjs', import.meta.url);
const large = '"'.repeat(400_000);

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

describe('the memory of a large text', () => {
  /** Parameters of an append, in memory like that of a received and parsed body. */
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
  /** Whether it serves the next body; asking takes it. */
  const isFree = ({ append }: Params['edit_file']): boolean => {
    assert.ok(isLargeText(append));
    const { buffer } = append;
    return Array.from({ length: 20 }, () => takeBodyMemory(buffer.byteLength).buffer).includes(buffer);
  };

  it('serves the next body if its call was refused before it reached a thread', () =>
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
  it('do not prevent a start, even if they cannot be removed', { skip: needs.sockets }, () =>
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
    }),
  );
});
