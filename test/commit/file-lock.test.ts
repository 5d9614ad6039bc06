import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { OperationError } from '../../src/core/errors.js';
import { acquireFileLocks, acquireInOrder, pauseAfter, type Waiting } from '../../workers/commit/file-lock.js';
import { lockNames, tryFileLock, type FileLock } from '../../workers/disk/lock/lock.js';
import { Progress } from '../../workers/progress.js';
import { Phase } from '../../src/core/thread/task.js';
import { countTimingsIn, timingBytes, timingsIn } from '../../src/core/thread/timings.js';
import type { Workspace } from '../../workers/workspace.js';
import { withDirectory } from '../directory.js';
import { workspaceOf } from '../workspace.js';

function lockedIn(directory: string): Workspace {
  const workspace = workspaceOf(directory);
  workspace.root.refresh();
  return workspace;
}

/** Cancelled by the main thread just before the call reaches this phase. */
class CancelledAt extends Progress {
  constructor(private readonly at: Phase) {
    super(new Int32Array(new SharedArrayBuffer(4)), 0);
  }

  override advance(next: Phase): boolean {
    return next !== this.at && super.advance(next);
  }
}

const isCancelled = (error: unknown): boolean => error instanceof OperationError && error.failure.kind === 'cancelled';

describe('waiting for a file lock', () => {
  for (const [when, phase] of [
    ['before it begins', Phase.waiting],
    ['in the moment when the lock was taken, which is then free again', Phase.running],
  ] as const) {
    it(`ends when the call is cancelled ${when}`, () =>
      withDirectory({}, async (directory) => {
        const workspace = lockedIn(directory);
        const context = { workspace, progress: new CancelledAt(phase), precondition: undefined, notices: [] };
        await assert.rejects(acquireFileLocks(context, ['a.txt']), isCancelled);
        const lock = tryFileLock(workspace.reserved, 'a.txt', []);
        assert.ok(lock);
        lock.release();
      }));
  }

  it('ends when the call is cancelled while another holds the lock', () =>
    withDirectory({}, async (directory) => {
      const held = tryFileLock(lockedIn(directory).reserved, 'a.txt', []);
      assert.ok(held);
      const phases = new Int32Array(new SharedArrayBuffer(4));
      const workspace = lockedIn(directory);
      const context = { workspace, progress: new Progress(phases, 0), precondition: undefined, notices: [] };
      const waiting = acquireFileLocks(context, ['a.txt']);
      Atomics.store(phases, 0, Phase.cancelled);
      await assert.rejects(waiting, isCancelled);
      held.release();
    }));

  it('polls as often as a newcomer after 60 ms, so newcomers cannot overtake it, and seldom after a second', () => {
    assert.equal(pauseAfter(60), pauseAfter(0));
    assert.ok(pauseAfter(1000) > 7 * pauseAfter(0));
    assert.equal(pauseAfter(30_000), pauseAfter(1000));
  });

  it('is counted only if another call held it', () =>
    withDirectory({}, async (directory) => {
      const memory = new SharedArrayBuffer(timingBytes);
      countTimingsIn(memory);
      const waits = (): number => timingsIn(memory, 'lock_wait').counts.reduce((sum, count) => sum + count, 0);
      const workspace = lockedIn(directory);
      const lock = (): Promise<FileLock> => {
        const progress = new Progress(new Int32Array(new SharedArrayBuffer(4)), 0);
        const context: Waiting = { workspace, progress, notices: [] };
        return acquireFileLocks(context, ['a.txt', 'b.txt']);
      };
      const first = await lock();
      assert.equal(waits(), 0);
      const waiting = lock();
      first.release();
      (await waiting).release();
      assert.equal(waits(), 1);
    }));
});

describe('waiting for the locks of many files, one after the other', () => {
  const paths = ['a', 'b', 'd/c'];
  const contextIn = (
    directory: string,
    progress = new Progress(new Int32Array(new SharedArrayBuffer(4)), 0),
  ): Waiting => ({
    workspace: lockedIn(directory),
    progress,
    notices: [],
  });
  /** Those of the paths, in the order in which their locks are taken. */
  const inOrder = [...paths].sort((one, other) => (lockNames([one]).join() < lockNames([other]).join() ? -1 : 1));
  const [first = '', , last = ''] = inOrder;

  it('holds those that come before the one that it waits for, and gets all of them', () =>
    withDirectory({}, async (directory) => {
      const other = lockedIn(directory).reserved;
      const held = tryFileLock(other, last, []);
      assert.ok(held);
      const waiting = acquireInOrder(contextIn(directory), paths);
      await setTimeout(30);
      assert.equal(tryFileLock(other, first, []), null);
      held.release();
      const all = await waiting;
      assert.deepEqual([all.isHeld(), tryFileLock(other, last, [])], [true, null]);
      all.release();
      const free = tryFileLock(other, first, []);
      assert.ok(free);
      free.release();
    }));

  it('holds none of them any more once it is cancelled', () =>
    withDirectory({}, async (directory) => {
      const other = lockedIn(directory).reserved;
      const held = tryFileLock(other, last, []);
      assert.ok(held);
      const phases = new Int32Array(new SharedArrayBuffer(4));
      const waiting = acquireInOrder(contextIn(directory, new Progress(phases, 0)), paths);
      await setTimeout(30);
      Atomics.store(phases, 0, Phase.cancelled);
      await assert.rejects(waiting, isCancelled);
      const free = tryFileLock(other, first, []);
      assert.ok(free);
      free.release();
      held.release();
    }));
});
