/** A dying worker thread costs only the call it was running (spec 5.5, 6). */
import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure, Outcome } from '../../src/core/errors.js';
import { createLog } from '../../src/observe/log.js';
import { tryFileLock } from '../../workers/disk/lock/lock.js';
import type { Reserved } from '../../workers/disk/lock/reserved.js';
import { withDirectory } from '../directory.js';
import { arrange, isDue, withPool, type Call, type Moment, type Way } from './dying-pool.js';
import { Ledger } from './ledger.js';
import { eventually, temporaryFiles } from './server.js';

const appends = (call: Call, name: string, author: string, count: number, from = 0): Promise<Outcome>[] =>
  Array.from({ length: count }, (_, i) => call('edit_file', { name, append: `${author}-${String(from + i)}` }));

const reading = (call: Call, name: string, count: number): Promise<Outcome>[] =>
  Array.from({ length: count }, () => call('read_file', { name }));

const isFailed = (outcome: Outcome): outcome is Failure => !outcome.ok;

/** Edits committed in the same batch as the one that kills the thread may or may not have happened either. */
const isOpen = (failed: Failure): boolean => failed.data?.applied === 'unknown';

function assertFree(other: Reserved, name: string): void {
  const lock = tryFileLock(other, name, []);
  assert.ok(lock, `the lock of ${name} is free`);
  lock.release();
}

/** Newer Node versions abort the whole process when a thread runs out of memory, despite its limits. */
const skipped = (way: Way): string | false =>
  way === 'heap' && Number(process.versions.node.split('.')[0]) > 22 && 'this Node ends the process then';

/** Outcome of an edit: a claimed commit may or may not have happened. */
const fates: readonly (readonly [Way, Moment, { applied?: 'unknown'; written: boolean }])[] = [
  ['exit', 'temporary', { written: false }],
  ['exit', 'rename', { applied: 'unknown', written: false }],
  ['exit', 'renamed', { applied: 'unknown', written: true }],
  ['heap', 'renamed', { applied: 'unknown', written: true }],
];

/** Each line as its answer says: present, absent or unknown; in order. */
function assertMatches(path: string, author: string, outcomes: readonly Outcome[]): void {
  const ledger = new Ledger();
  for (const [i, outcome] of outcomes.entries()) {
    const line = `${author}-${String(i)}`;
    if (outcome.ok) ledger.acknowledge(line, outcome.result['new_total_lines']);
    else if (outcome.data?.applied === 'unknown') ledger.leaveOpen(line);
    else ledger.refuse(line);
  }
  ledger.check(path);
}

describe(
  'the death of a worker thread',
  { timeout: 600_000, skip: process.platform !== 'linux' && 'needs /proc' },
  () => {
    for (const [way, moment, { applied, written }] of fates) {
      it(
        `by ${way} at ${moment} costs the edit in progress, which reports applied: ${String(applied)}`,
        { skip: skipped(way) },
        () =>
          withDirectory({ 'a.txt': '', 'b.txt': '', 'c.txt': 'text\n' }, (directory) =>
            withPool(directory, 1, async (call, other) => {
              arrange('a.txt', way, moment);
              const [victims, others, reads] = await Promise.all([
                Promise.all(appends(call, 'a.txt', 'a', 4)),
                Promise.all(appends(call, 'b.txt', 'b', 4)),
                Promise.all([...reading(call, 'c.txt', 8), call('list_files', {})]),
              ]);
              const [victim, ...behind] = victims;
              assert.ok(victim?.ok === false);
              assert.deepEqual(
                [victim.kind, victim.message, victim.data?.applied],
                ['internal', 'Internal error', applied],
              );
              assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8').startsWith('a-0\n'), written);
              const more = [...behind, ...others].filter(isFailed);
              assert.deepEqual(applied === undefined ? more : more.filter((failed) => !isOpen(failed)), []);
              assert.deepEqual(reads.filter(isFailed), []);
              assertMatches(join(directory, 'a.txt'), 'a', victims);
              assertMatches(join(directory, 'b.txt'), 'b', others);
              assertFree(other, 'a.txt');
              assert.ok(
                await eventually(() => temporaryFiles(directory).length === 0),
                'its temporary file is removed',
              );
            }),
          ),
      );
    }

    // A late error may hit another edit that is running by then.
    for (const [way, most] of [
      ['exit', 0],
      ['later', 1],
    ] as const) {
      it(`by ${way} while one edit waits for the disk and others run costs at most ${String(most)} edits`, () =>
        withDirectory({ 'a.txt': '', 'b.txt': '' }, (directory) =>
          withPool(directory, 1, async (call, other) => {
            arrange('a.txt', way, 'sync');
            const a: Outcome[] = [];
            const b: Outcome[] = [];
            // Whether other edits are active during this edit's sync is chance: in one of ten cases none is.
            for (let tries = 0; tries < 20 && isDue('a.txt', way, 'sync'); tries++) {
              const [moreOfA, moreOfB] = await Promise.all([
                Promise.all(appends(call, 'a.txt', 'a', 8, a.length)),
                Promise.all(appends(call, 'b.txt', 'b', 8, b.length)),
              ]);
              a.push(...moreOfA);
              b.push(...moreOfB);
            }
            const lost = [...a, ...b].filter(isFailed);
            assert.ok(lost.length <= most && lost.every(({ kind }) => kind === 'internal'), JSON.stringify(lost));
            assertMatches(join(directory, 'a.txt'), 'a', a);
            assertMatches(join(directory, 'b.txt'), 'b', b);
            assertFree(other, 'a.txt');
            assert.ok(await eventually(() => temporaryFiles(directory).length === 0));
          }),
        ));
    }

    for (const way of ['exit', 'heap'] as const) {
      it(`by ${way} before anything was written costs at most the edit in progress`, { skip: skipped(way) }, () =>
        withDirectory({ 'a.txt': '', 'b.txt': '' }, (directory) =>
          withPool(directory, 1, async (call, other) => {
            // Twice: the first time the call may be handed to the next thread.
            arrange('a.txt', way, 'open', 2);
            const [victims, others, reads] = await Promise.all([
              Promise.all(appends(call, 'a.txt', 'a', 4)),
              Promise.all(appends(call, 'b.txt', 'b', 4)),
              Promise.all(reading(call, 'b.txt', 8)),
            ]);
            assert.deepEqual([...others, ...reads].filter(isFailed), []);
            for (const victim of victims) assert.equal(victim.ok ? undefined : victim.data?.applied, undefined);
            assertMatches(join(directory, 'a.txt'), 'a', victims);
            assertMatches(join(directory, 'b.txt'), 'b', others);
            assertFree(other, 'a.txt');
          }),
        ),
      );
    }

    for (const moment of ['open', 'temporary', 'rename', 'renamed'] as const) {
      // The running code continues until it next waits, and an edit that has its lock waits no more.
      it(`by an error outside any promise, at ${moment}, leaves nothing half done`, () =>
        withDirectory({ 'a.txt': '', 'b.txt': '' }, (directory) =>
          withPool(directory, 1, async (call, other) => {
            const victims: Outcome[] = [];
            const others: Outcome[] = [];
            // The dying thread and this one overlap only briefly, hence several attempts.
            for (let round = 0; round < 3; round++) {
              arrange('a.txt', 'throw', moment);
              const [a, b] = await Promise.all([
                Promise.all(appends(call, 'a.txt', 'a', 3, victims.length)),
                Promise.all(appends(call, 'b.txt', 'b', 3, others.length)),
              ]);
              // Only the first edit of each file was in the thread.
              assert.deepEqual([...a.slice(1), ...b.slice(1)].filter(isFailed), []);
              victims.push(...a);
              others.push(...b);
            }
            assertMatches(join(directory, 'a.txt'), 'a', victims);
            assertMatches(join(directory, 'b.txt'), 'b', others);
            assertFree(other, 'a.txt');
            assert.ok(await eventually(() => temporaryFiles(directory).length === 0), 'its temporary file is removed');
          }),
        ));
    }

    it('costs only the read in progress', () =>
      withDirectory({ 'a.txt': 'start\n', 'b.txt': 'start\n' }, (directory) =>
        withPool(directory, 1, async (call) => {
          arrange('a.txt', 'exit', 'open');
          const [read, ...others] = await Promise.all(
            ['a.txt', 'b.txt', 'a.txt', 'b.txt'].map((name) => call('read_file', { name })),
          );
          assert.ok(read && (read.ok || (read.kind === 'internal' && read.data?.applied === undefined)));
          assert.deepEqual(others.filter(isFailed), []);
        }),
      ));

    it('is logged even if it costs no call', () => {
      const logged: string[] = [];
      const log = { ...createLog('silent'), error: (_fields: object, message: string) => logged.push(message) };
      return withDirectory({ 'a.txt': '', 'b.txt': '' }, (directory) =>
        withPool(
          directory,
          1,
          async (call, other) => {
            const lock = tryFileLock(other, 'a.txt', []);
            assert.ok(lock);
            const waiting = call('edit_file', { name: 'a.txt', append: 'after all' });
            arrange('b.txt', 'exit', 'temporary');
            await call('edit_file', { name: 'b.txt', append: 'b' });
            lock.release();
            assert.ok((await waiting).ok);
          },
          {},
          log,
        ),
      ).then(() => {
        assert.deepEqual(logged, ['A worker thread died']);
      });
    });

    it('is logged once even if its leftovers cannot be removed', async () => {
      const errors: string[] = [];
      const warnings: string[] = [];
      const log = {
        ...createLog('silent'),
        error: (_fields: object, message: string) => errors.push(message),
        warn: (_fields: object, message: string) => warnings.push(message),
      };
      await withDirectory({ 'work/a.txt': '' }, (parent) => {
        const directory = join(parent, 'work');
        return withPool(
          directory,
          1,
          async (call) => {
            arrange('a.txt', 'exit', 'temporary');
            assert.ok(isFailed(await call('edit_file', { name: 'a.txt', append: 'a' })));
            renameSync(directory, `${directory}-moved`);
            assert.ok(await eventually(() => warnings.length > 0));
          },
          {},
          log,
        );
      });
      assert.deepEqual(errors, ['A worker thread died']);
      assert.match(
        warnings.join(),
        /^Leftovers of killed processes could not be removed; the first write tries again: Cannot access/,
      );
    });

    for (const way of ['exit', 'later'] as const) {
      it(`by ${way} leaves an edit that waits for its lock waiting`, () =>
        withDirectory({ 'a.txt': '', 'held.txt': '' }, (directory) =>
          withPool(directory, 1, async (call, other) => {
            const lock = tryFileLock(other, 'held.txt', []);
            assert.ok(lock);
            const waiting = call('edit_file', { name: 'held.txt', append: 'after all' });
            // The thread has started that one, since it starts calls in order.
            const before = await call('edit_file', { name: 'a.txt', append: 'a-0' });
            arrange('a.txt', way, 'rename');
            const struck = await call('edit_file', { name: 'a.txt', append: 'a-1' });
            const behind = await call('edit_file', { name: 'a.txt', append: 'a-2' });
            assert.deepEqual([before.ok, behind.ok], [true, true]);
            assert.equal(lock.release(), undefined);
            assert.ok((await waiting).ok);
            assert.equal(readFileSync(join(directory, 'held.txt'), 'utf8'), 'after all\n');
            assertMatches(join(directory, 'a.txt'), 'a', [before, struck, behind]);
          }),
        ));
    }

    it('may strike all threads at the same time, repeatedly', () => {
      // On one core they share a thread: a call that was in five dying threads is answered before its own death comes.
      const names = Array.from({ length: 5 }, (_, i) => `${String(i)}.txt`);
      return withDirectory(Object.fromEntries(names.map((name) => [name, ''])), (directory) =>
        withPool(directory, 4, async (call) => {
          const written = new Map(names.map((name) => [name, '']));
          for (let round = 0; round < 2; round++) {
            for (const name of names) arrange(name, 'exit', 'temporary');
            const outcomes = await Promise.all(names.map((name) => call('edit_file', { name, append: 'lost' })));
            for (const outcome of outcomes) assert.ok(!outcome.ok && outcome.data?.applied === undefined);
            const again = await Promise.all(
              names.map((name) => call('edit_file', { name, append: `round ${String(round)}` })),
            );
            assert.deepEqual(again.filter(isFailed), []);
            for (const name of names) written.set(name, `${written.get(name) ?? ''}round ${String(round)}\n`);
          }
          for (const name of names) assert.equal(readFileSync(join(directory, name), 'utf8'), written.get(name));
          assert.ok(await eventually(() => temporaryFiles(directory).length === 0));
        }),
      );
    });

    it('during start-up only delays the calls that wait for the thread', () =>
      withDirectory({ 'a.txt': 'start\n' }, (directory) =>
        withPool(directory, 1, async (call) => {
          arrange('thread', 'exit', 'start');
          const patience = new AbortController();
          const outcomes = await Promise.race([
            Promise.all(reading(call, 'a.txt', 4)),
            sleep(5_000, [], { signal: patience.signal }),
          ]);
          patience.abort();
          assert.equal(outcomes.length, 4, 'no answer for 5 s');
          assert.deepEqual(outcomes.filter(isFailed), []);
        }),
      ));
  },
);
