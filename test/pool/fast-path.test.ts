/** Calls that are alone, with the real code of the threads. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import { configFromOptions } from '../../src/config/config.js';
import type { Options } from '../../src/config/arguments.js';
import type { Outcome } from '../../src/core/errors.js';
import { rows, type OperationName, type Params } from '../../src/core/operations.js';
import { createLog } from '../../src/observe/log.js';
import type { FastPathMode } from '../../src/pool/fast-path.js';
import { ThreadPool } from '../../src/pool/pool.js';
import { withDirectory } from '../directory.js';
import { withHolder } from '../reliability/lock-holder.js';
import { eventually } from '../reliability/server.js';
import { needs } from '../needs.js';

const worker = new URL('../../dist/workers/main.cjs', import.meta.url);
const slowWorker = new URL('fixtures/slow-tasks.cjs', import.meta.url);
const mortalWorker = new URL('fixtures/mortal-worker.mjs', import.meta.url);

interface Trial {
  readonly directory: string;
  readonly call: <Name extends OperationName>(operation: Name, params: Params[Name]) => Promise<Outcome>;
  /** Number of threads that run. */
  readonly threads: () => number;
  readonly pool: ThreadPool;
}

async function withPool(
  use: (trial: Trial) => Promise<void>,
  { mode = 'adaptive', code = worker, ...options }: Options & { mode?: FastPathMode; code?: URL } = {},
): Promise<void> {
  const files = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b', 'large.txt': 'x'.repeat(300_000) };
  await withDirectory(files, async (directory) => {
    const config = configFromOptions({ dir: directory, logLevel: 'silent', durability: 'none', ...options });
    const pool = new ThreadPool(config, createLog('silent'), code, mode);
    try {
      await use({
        directory,
        pool,
        call: async (operation, params) => {
          const outcome = await pool.run(rows[operation], params, {});
          // A client's next call arrives later too.
          await nextRound();
          return outcome;
        },
        threads: () => pool.figures().threads,
      });
    } finally {
      await pool.shutDown();
    }
  });
}

const oneEdit: Params['edit_file'] = { name: 'a.txt', edits: [{ line: 1, operation: 'replace', content: 'ONE' }] };

describe('a call that is alone', () => {
  it('needs no thread, whatever it does', () =>
    withPool(
      async ({ directory, call, threads }) => {
        const outcomes = [
          await call('read_file', { name: 'a.txt' }),
          await call('edit_file', oneEdit),
          await call('list_files', {}),
          await call('create', { path: 'new/c.txt', content: 'c' }),
          await call('rename', { old_path: 'new/c.txt', new_path: 'new/d.txt' }),
          await call('delete', { path: 'new/d.txt' }),
          await call('grep', { pattern: 'ONE', path: 'a.txt' }),
          await call('apply_changes', {
            changes: [
              { path: 'new/e.txt', content: 'e' },
              { path: 'b.txt', rename_to: 'new/b.txt' },
            ],
          }),
          await call('view', { files: [{ path: 'a.txt' }, { path: 'new/e.txt' }, { path: 'missing.txt' }] }),
          await call('view', {}),
          await call('view', { path: 'new' }),
          await call('glob', { pattern: '*.txt' }),
          await call('read_file', { name: 'missing.txt' }),
        ];
        assert.deepEqual(
          outcomes.map(({ ok }) => ok),
          [...Array.from({ length: outcomes.length - 1 }, () => true), false],
        );
        assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'ONE\ntwo\n');
        assert.equal(threads(), 0);
      },
      // On a busy machine, calls seem to wait for the disk.
      { mode: 'always' },
    ));

  it('holds the directory open only until it is given back, and is answered after that', { skip: needs.proc }, () =>
    withPool(
      async ({ directory, call, pool }) => {
        const isOpen = (): boolean =>
          readdirSync('/proc/self/fd').some((fd) => {
            try {
              return readlinkSync(`/proc/self/fd/${fd}`).startsWith(directory);
            } catch {
              return false;
            }
          });
        await call('edit_file', oneEdit);
        assert.ok(isOpen());
        pool.giveBack();
        // The system closes the edited file a moment after its answer.
        assert.ok(await eventually(() => !isOpen()));
        assert.ok((await call('edit_file', oneEdit)).ok);
      },
      { mode: 'always' },
    ),
  );

  const manyEdits = Array.from({ length: 100 }, () => ({ old_string: 'x', new_string: 'y' }));
  const several = Array.from({ length: 11 }, (_, index) => ({ path: `${String(index)}.txt`, content: '' }));
  const costly: readonly (readonly [string, (trial: Trial) => Promise<Outcome>])[] = [
    ['a large file', ({ call }) => call('read_file', { name: 'large.txt' })],
    [
      'several files that are large together',
      ({ directory, call }) => {
        writeFileSync(join(directory, 'half.txt'), 'x'.repeat(150_000));
        return call('view', { files: [{ path: 'half.txt' }, { path: 'half.txt' }] });
      },
    ],
    ['many files', ({ call }) => call('view', { files: Array.from({ length: 11 }, () => ({ path: 'a.txt' })) })],
    ['a large text', ({ call }) => call('create', { path: 'c.txt', content: 'c'.repeat(300_000) })],
    [
      'many edits of a text that is not small',
      ({ directory, call }) => {
        writeFileSync(join(directory, 'wide.txt'), 'x'.repeat(200_000));
        return call('apply_edits', { path: 'wide.txt', edits: manyEdits });
      },
    ],
    [
      'a link, which may lead anywhere',
      ({ directory, call }) => {
        symlinkSync('a.txt', join(directory, 'link'));
        return call('read_file', { name: 'link' });
      },
    ],
    [
      'a directory, which may hold anything',
      ({ directory, call }) => {
        mkdirSync(join(directory, 'sub'));
        return call('delete', { path: 'sub' });
      },
    ],
    ['a search by name, newest first', ({ call }) => call('glob', { pattern: '*', sort: 'modified' })],
    [
      'a directory of thousands of names',
      ({ directory, call }) => {
        mkdirSync(join(directory, 'wide'));
        for (let each = 0; each < 3_000; each++) writeFileSync(join(directory, 'wide', `file ${each}`), '');
        return call('view', { path: 'wide' });
      },
    ],
    ['more than ten files', ({ call }) => call('apply_changes', { changes: several })],
    [
      'files that are not small together',
      ({ directory, call }) => {
        const names = ['c', 'd', 'e'];
        for (const name of names) writeFileSync(join(directory, name), 'x'.repeat(50_000));
        return call('apply_changes', { changes: names.map((path) => ({ path, delete: true })) });
      },
    ],
    [
      'many edits of several files together',
      ({ directory, call }) => {
        const names = ['c', 'd'];
        for (const name of names) writeFileSync(join(directory, name), 'x'.repeat(10_000));
        return call('apply_changes', { changes: names.map((path) => ({ path, edits: manyEdits })) });
      },
    ],
    [
      'a link among several files',
      ({ directory, call }) => {
        symlinkSync('a.txt', join(directory, 'link'));
        return call('apply_changes', {
          changes: [
            { path: 'a.txt', delete: true },
            { path: 'link', delete: true },
          ],
        });
      },
    ],
    [
      'a search in a large file',
      ({ call, directory }) => {
        writeFileSync(join(directory, 'huge.txt'), 'x'.repeat(600_000));
        return call('grep', { pattern: 'y' });
      },
    ],
    [
      'a search through a link',
      ({ call, directory }) => {
        symlinkSync('a.txt', join(directory, 'link'));
        return call('grep', { pattern: 'one', path: 'link' });
      },
    ],
  ];
  for (const [what, make] of costly) {
    const hasNoSize = what.includes('thousands') && process.platform === 'win32' && 'directories have no size';
    const skip = hasNoSize || (what.includes('link') && needs.links);
    it(`is left to a thread if it is about ${what}`, { skip }, () =>
      withPool(async (trial) => {
        await make(trial);
        assert.equal(trial.threads(), 1);
      }),
    );
  }

  it('leaves the main thread to others while it waits for a lock', () =>
    withPool(async ({ directory, call }) => {
      await withHolder(directory, async (holder) => {
        let isAnswered = false;
        const edit = call('edit_file', oneEdit).then((outcome) => {
          isAnswered = true;
          return outcome;
        });
        const { ok } = await call('read_file', { name: 'b.txt' });
        assert.deepEqual([ok, isAnswered], [true, false]);
        holder.kill('SIGKILL');
        assert.equal((await edit).ok, true);
      });
    }));

  it('is left to a thread if the code cannot be loaded here', () =>
    withPool(
      async ({ call, threads }) => {
        void call('read_file', { name: 'a.txt' });
        await eventually(() => threads() === 1);
      },
      { code: mortalWorker },
    ));
});

describe('calls that meet', () => {
  it('go to threads, and so do the next ones until calls come one by one again', () =>
    withPool(async ({ call, threads, pool }) => {
      const read = (): Promise<Outcome> => call('read_file', { name: 'a.txt' });
      await Promise.all([read(), read()]);
      assert.equal(threads(), 1);
      const sent = (): number => Array.from(pool.figures().batches.read.counts).reduce((sum, count) => sum + count, 0);
      const before = sent();
      await read();
      assert.equal(sent(), before + 1);
    }));

  it('never start a thread if the fast path is always open, and always if it is never', async () => {
    for (const [mode, expected] of [
      ['always', 0],
      ['never', 1],
    ] as const) {
      await withPool(
        async ({ call, threads }) => {
          await Promise.all(['a.txt', 'b.txt'].map((name) => call('read_file', { name })));
          assert.equal(threads(), expected, mode);
        },
        { mode },
      );
    }
  });
});

describe('a slow disk', () => {
  it('is left to the threads after two calls in a row that waited for it', () =>
    withPool(
      async ({ call, threads }) => {
        const read = (): Promise<Outcome> => call('read_file', { name: 'a.txt' });
        await read();
        await read();
        assert.equal(threads(), 0);
        // A call that was interrupted by other processes does not count.
        for (let tries = 0; tries < 50 && threads() === 0; tries++) await read();
        assert.equal(threads(), 1);
      },
      { code: slowWorker },
    ));
});
