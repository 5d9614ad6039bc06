/** A worker thread that dies costs the call that it was running, and nothing else (contract 5.5, 6). */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { configFromOptions } from '../../src/config.js';
import type { Outcome } from '../../src/errors.js';
import { createLog } from '../../src/log.js';
import { operations } from '../../src/operations.js';
import { createPool } from '../../src/pool.js';
import { tryFileLock } from '../../workers/disk/lock.js';
import { Reserved } from '../../workers/disk/reserved.js';
import { Root } from '../../workers/disk/root.js';
import { withDirectory } from '../directory.js';
import { eventually, temporaryFiles } from './server.js';

type Call = (operation: string, params: unknown) => Promise<Outcome>;

const dyingWorker = new URL('fixtures/dying-worker.mjs', import.meta.url);

// For threads that are started from now on: they shall not take gigabytes before they die.
setFlagsFromString('--max-old-space-size=64');

const deaths = mkdtempSync(join(tmpdir(), 'file-editor-deaths-'));
process.env['DEATHS'] = deaths;
after(() => {
  rmSync(deaths, { recursive: true });
});

type Way = 'exit' | 'throw' | 'heap';
type Moment = 'open' | 'temporary' | 'rename' | 'renamed' | 'start';

/** The thread that comes to this moment of its work on the file dies, once. */
function arrange(file: string, way: Way, moment: Moment): void {
  writeFileSync(join(deaths, `${file}.${way}-at-${moment}`), '');
}

/** Lend a pool with threads that die on demand. */
async function withPool(directory: string, workers: number, use: (call: Call) => Promise<void>): Promise<void> {
  const config = configFromOptions({ dir: directory, workers, logLevel: 'silent' });
  const pool = createPool(config, createLog('silent'), dyingWorker);
  let calls = 0;
  try {
    await use((name, params) => {
      const operation = operations.get(name);
      assert.ok(operation);
      return pool.run(operation, params, { requestId: String(++calls) });
    });
    assert.deepEqual(readdirSync(deaths), [], 'every death that was arranged has come');
  } finally {
    for (const name of readdirSync(deaths)) rmSync(join(deaths, name));
    await pool.shutDown();
  }
  assert.deepEqual(openFilesBelow(directory), [], 'nothing is left open');
}

function openFilesBelow(directory: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(directory) ? [path] : [];
    } catch {
      return [];
    }
  });
}

const appends = (call: Call, name: string, author: string, count: number): Promise<Outcome>[] =>
  Array.from({ length: count }, (_, i) => call('edit_file', { name, append: `${author}-${String(i)}` }));

const isDone = (outcome: Outcome): boolean => outcome.ok;

/** Locks as another server would see them. */
function contender(directory: string): Reserved {
  const root = new Root(directory);
  root.refresh();
  return new Reserved(root);
}

function assertFree(directory: string, name: string): void {
  const lock = tryFileLock(contender(directory), name, []);
  assert.ok(lock, `the lock of ${name} is free`);
  lock.release();
}

/**
 * What becomes of an edit: a commit that was claimed may or may not have happened. `throw` takes effect when the
 * code that runs has ended, and an edit runs to its end once it has the lock.
 */
const fates: readonly (readonly [Way, Moment, { applied?: 'unknown'; written: boolean }])[] = [
  ['exit', 'temporary', { written: false }],
  ['heap', 'temporary', { written: false }],
  ['throw', 'temporary', { applied: 'unknown', written: true }],
  ['exit', 'rename', { applied: 'unknown', written: false }],
  ['heap', 'rename', { applied: 'unknown', written: false }],
  ['throw', 'rename', { applied: 'unknown', written: true }],
  ['exit', 'renamed', { applied: 'unknown', written: true }],
  ['heap', 'renamed', { applied: 'unknown', written: true }],
];

describe('the death of a worker thread', { timeout: 60_000, skip: process.platform !== 'linux' && 'needs /proc' }, () => {
  for (const [way, moment, { applied, written }] of fates) {
    it(`by ${way} at ${moment} costs the edit that it was running, which says applied: ${String(applied)}`, () =>
      withDirectory({ 'a.txt': 'start\n', 'b.txt': 'start\n', 'c.txt': 'start\n' }, (directory) =>
        withPool(directory, 1, async (call) => {
          arrange('a.txt', way, moment);
          const victims = appends(call, 'a.txt', 'a', 4);
          const others = [
            ...appends(call, 'b.txt', 'b', 4),
            ...Array.from({ length: 8 }, () => call('read_file', { name: 'c.txt' })),
            call('list_files', {}),
          ];
          const [victim, ...behind] = await Promise.all(victims);
          assert.ok(victim?.ok === false);
          assert.deepEqual([victim.kind, victim.message, victim.data?.applied], ['internal', 'Internal error', applied]);
          assert.ok(behind.every(isDone), JSON.stringify(behind));
          const outcomes = await Promise.all(others);
          assert.ok(outcomes.every(isDone), JSON.stringify(outcomes));
          assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), `start\n${written ? 'a-0\n' : ''}a-1\na-2\na-3\n`);
          assert.equal(readFileSync(join(directory, 'b.txt'), 'utf8'), 'start\nb-0\nb-1\nb-2\nb-3\n');
          assertFree(directory, 'a.txt');
          assert.ok(await eventually(() => temporaryFiles(directory).length === 0), 'its temporary file is removed');
        }),
      ));
  }

  for (const way of ['exit', 'throw', 'heap'] as const) {
    it(`by ${way} before anything was begun leaves every file as it was or edited as asked`, () =>
      withDirectory({ 'a.txt': 'start\n', 'b.txt': 'start\n' }, (directory) =>
        withPool(directory, 1, async (call) => {
          // Twice: the first time the call may be handed to the next thread.
          for (let i = 0; i < 2; i++) arrange('a.txt', way, 'open');
          const [victims, others, reads] = await Promise.all([
            Promise.all(appends(call, 'a.txt', 'a', 4)),
            Promise.all(appends(call, 'b.txt', 'b', 4)),
            Promise.all(Array.from({ length: 8 }, () => call('read_file', { name: 'b.txt' }))),
          ]);
          assert.ok([...others, ...reads, ...victims.slice(1)].every(isDone));
          const lines = victims.flatMap((victim, i) => (victim.ok ? [`a-${String(i)}\n`] : []));
          assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), `start\n${lines.join('')}`);
          for (const victim of victims) assert.equal(victim.ok ? undefined : victim.data?.applied, undefined);
          assertFree(directory, 'a.txt');
        }),
      ));
  }

  it('costs the read that it was running, and no other', () =>
    withDirectory({ 'a.txt': 'start\n', 'b.txt': 'start\n' }, (directory) =>
      withPool(directory, 1, async (call) => {
        arrange('a.txt', 'exit', 'open');
        const [read, ...others] = await Promise.all(
          ['a.txt', 'b.txt', 'a.txt', 'b.txt'].map((name) => call('read_file', { name })),
        );
        assert.ok(read && (read.ok || (read.kind === 'internal' && read.data?.applied === undefined)));
        assert.ok(others.every(isDone), JSON.stringify(others));
      }),
    ));

  it('lets an edit that waits for its lock go on waiting', () =>
    withDirectory({ 'a.txt': 'start\n', 'held.txt': 'start\n' }, (directory) =>
      withPool(directory, 1, async (call) => {
        const lock = tryFileLock(contender(directory), 'held.txt', []);
        assert.ok(lock);
        const waiting = call('edit_file', { name: 'held.txt', append: 'after all' });
        // The thread has begun it: calls of one thread begin in order.
        assert.ok((await call('edit_file', { name: 'a.txt', append: 'first' })).ok);
        arrange('a.txt', 'exit', 'rename');
        assert.equal((await call('edit_file', { name: 'a.txt', append: 'second' })).ok, false);
        assert.ok((await call('edit_file', { name: 'a.txt', append: 'third' })).ok);
        assert.equal(lock.release(), undefined);
        assert.ok((await waiting).ok);
        assert.equal(readFileSync(join(directory, 'held.txt'), 'utf8'), 'start\nafter all\n');
        assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'start\nfirst\nthird\n');
      }),
    ));

  it('may come to all of them at once, again and again', () => {
    const names = Array.from({ length: 16 }, (_, i) => `${String(i)}.txt`);
    return withDirectory(Object.fromEntries(names.map((name) => [name, ''])), (directory) =>
      withPool(directory, 4, async (call) => {
        const written = new Map(names.map((name) => [name, '']));
        for (let round = 0; round < 5; round++) {
          for (const name of names) arrange(name, 'exit', 'temporary');
          const outcomes = await Promise.all(names.map((name) => call('edit_file', { name, append: 'lost' })));
          for (const outcome of outcomes) assert.ok(!outcome.ok && outcome.data?.applied === undefined);
          const again = await Promise.all(
            names.map((name) => call('edit_file', { name, append: `round ${String(round)}` })),
          );
          assert.ok(again.every(isDone), JSON.stringify(again));
          for (const name of names) written.set(name, `${written.get(name) ?? ''}round ${String(round)}\n`);
        }
        for (const name of names) assert.equal(readFileSync(join(directory, name), 'utf8'), written.get(name));
        assert.ok(await eventually(() => temporaryFiles(directory).length === 0));
      }),
    );
  });

  it('while it starts delays the calls that wait for it, at most', () =>
    withDirectory({ 'a.txt': 'start\n' }, (directory) =>
      withPool(directory, 1, async (call) => {
        arrange('thread', 'exit', 'start');
        const outcomes = await Promise.race([
          Promise.all(Array.from({ length: 4 }, () => call('read_file', { name: 'a.txt' }))),
          sleep(5_000, 'nothing', { ref: false }),
        ]);
        assert.ok(typeof outcomes !== 'string', 'no answer for 5 s');
        assert.ok(outcomes.every(isDone), JSON.stringify(outcomes));
      }),
    ));
});
