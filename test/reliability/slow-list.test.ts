/** A listing of many large files takes seconds, and no other call may wait for it (spec 1.1, `--workers`). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { configFromOptions } from '../../src/config/config.js';
import { createLog } from '../../src/observe/log.js';
import { rows, type OperationName, type Params } from '../../src/core/operations.js';
import { ThreadPool } from '../../src/pool/pool.js';
import { withDirectory } from '../directory.js';

const slowListWorker = new URL('fixtures/slow-list-worker.mjs', import.meta.url);
const names = Array.from({ length: 16 }, (_, index) => `${String(index)}.txt`);

describe('during a slow listing', { concurrency: true }, () => {
  for (const workers of [2, 4]) {
    it(`files are read and edited, with ${String(workers)} threads`, () =>
      withDirectory(Object.fromEntries(names.map((name) => [name, 'one\n'])), async (directory) => {
        const config = configFromOptions({ dir: directory, logLevel: 'silent', workers });
        const pool = new ThreadPool(config, createLog('silent'), slowListWorker, 'never');
        const run = async <Name extends OperationName>(name: Name, params: Params[Name]): Promise<boolean> => {
          const operation = rows[name];
          return (await pool.run(operation, params, {})).ok;
        };
        try {
          let isListed = false;
          const list = run('list_files', {}).finally(() => (isListed = true));
          // Until the listing has reached its thread.
          await sleep(300);
          const edits = names.map((name) => run('edit_file', { name, append: 'two\n' }));
          const reads = names.map((name) => run('read_file', { name }));
          assert.ok((await Promise.all([...edits, ...reads])).every(Boolean));
          assert.equal(isListed, false, 'none of them waited for the listing');
          assert.ok(await list);
        } finally {
          await pool.shutDown();
        }
      }));
  }
});
