import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperationError } from '../../src/core/errors.js';
import { acquireFileLocks, pauseAfter, type Waiting } from '../../workers/commit/file-lock.js';
import { tryFileLock, type FileLock } from '../../workers/disk/lock/lock.js';
import { Progress } from '../../workers/progress.js';
import { Stage } from '../../src/core/thread/task.js';
import { countTimingsIn, timingBytes, timingsIn } from '../../src/core/thread/timings.js';
import type { Workspace } from '../../workers/workspace.js';
import { withDirectory } from '../directory.js';
import { workspaceOf } from '../workspace.js';

function lockedIn(directory: string): Workspace {
  const workspace = workspaceOf(directory);
  workspace.root.refresh();
  return workspace;
}

/** Cancelled by the main thread just before the call reaches this stage. */
class CancelledAt extends Progress {
  constructor(private readonly at: Stage) {
    super(new Int32Array(new SharedArrayBuffer(4)), 0);
  }

  override advance(next: Stage): boolean {
    return next !== this.at && super.advance(next);
  }
}

const isCancelled = (error: unknown): boolean => error instanceof OperationError && error.failure.kind === 'cancelled';

describe('waiting for a file lock', () => {
  for (const [when, stage] of [
    ['before it begins', Stage.waiting],
    ['in the moment when the lock was taken, which is then free again', Stage.running],
  ] as const) {
    it(`ends when the call is cancelled ${when}`, () =>
      withDirectory({}, async (directory) => {
        const workspace = lockedIn(directory);
        const context = { workspace, progress: new CancelledAt(stage), precondition: undefined, notices: [] };
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
      const stages = new Int32Array(new SharedArrayBuffer(4));
      const workspace = lockedIn(directory);
      const context = { workspace, progress: new Progress(stages, 0), precondition: undefined, notices: [] };
      const waiting = acquireFileLocks(context, ['a.txt']);
      Atomics.store(stages, 0, Stage.cancelled);
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
