/**
 * Writes of one file that are committed together (spec 6): one lock, one read, one write, one sync. The steps in
 * between are in group-commit.ts.
 */
import { OperationError } from '../../src/core/errors.js';
import type { OperationName } from '../../src/core/operations.js';
import { lstat } from '../disk/calls.js';
import { assertWritable, type OpenFile } from '../disk/paths/open-file.js';
import { releaseLock, type FileLock } from '../disk/lock/lock.js';
import { isPlaceholder } from '../disk/paths/placeholder.js';
import type { Root } from '../disk/paths/root.js';
import { orUndefined } from '../disk/system-error.js';
import { isStillThere } from '../disk/write/version.js';
import type { Call } from '../handler.js';
import { SharedProgress } from '../progress.js';
import { nextTurn } from '../turn.js';
import type { TaskAnswer } from '../../src/core/thread/task.js';
import { answersOf, applyInOrder, type Applied } from './applied.js';
import { takeFileLocks, waitForFileLocks } from './file-lock.js';
import { commitGroup } from './group-commit.js';
import { Absent, type TextOperation } from './text-operation.js';
import { giveTime, isOvertaken, mayBeUnfinished, mostPatienceMs } from './other-writers.js';

/** For dry calls. A call that tried to write would be refused, since this lock is never held. */
const noLock: FileLock = { isHeld: () => false, release: () => undefined };

/**
 * Change the text of a file by one call after another.
 * @param calls all for one file, under the same name
 * @throws OperationError if all of them fail for the same reason; RootMoved, with nothing written
 */
export async function changeTogether<Name extends OperationName>(
  calls: readonly Call<Name>[],
  operation: TextOperation<Name>,
): Promise<TaskAnswer> {
  const [first] = calls;
  if (first === undefined) return [];
  const name = operation.nameOf(first.params);
  const { workspace, notices, progress: own } = first.context;
  const progress = calls.length === 1 ? own : new SharedProgress(calls.map(({ context }) => context.progress));
  const waiting = { workspace, progress, notices };
  let patienceMs = mostPatienceMs;
  /** What the calls make of a file that does not exist, computed before the lock is taken. */
  let early: Applied | undefined;
  let held: { readonly lock: FileLock; readonly relative: string } | undefined;
  const release = (): void => {
    if (held !== undefined) releaseLock(held.lock, notices);
    held = undefined;
  };
  try {
    // Each round opens the file again and does one of four things: wait while another program writes the file, answer
    // without a lock, commit under the lock, or get the lock for the next round.
    for (;;) {
      const isOpenedUnderLock = held !== undefined;
      const file = openToWrite(operation, workspace.root, name);
      const relative = file instanceof Absent ? name : file.place.relative;
      try {
        if (patienceMs > 0 && isUnfinished(file)) {
          release();
          patienceMs -= await giveTime(waiting);
          continue;
        }
        if (held === undefined) {
          // Create nothing for a lock unless a call writes.
          if (file instanceof Absent) {
            early ??= applyInOrder(calls, operation, file);
            if (early.changers.size === 0) return answersOf(early);
          } else if (calls.every(({ params }) => operation.isDry?.(params) === true)) {
            return await commitGroup(calls, operation, { name, file, lock: noLock });
          }
          const lock = takeFileLocks(waiting, [relative]);
          if (lock !== null) held = { lock, relative };
        }
        // Before the lock was taken, its last holder may have replaced the file. Or a directory on the path was moved,
        // which does not show from inside: then this lock no longer belongs to the file.
        const isCurrent = isOpenedUnderLock || (!relative.includes('/') && stillNamesFile(file));
        if (held?.relative === relative && isCurrent) {
          const isMissing = file instanceof Absent && file.refusal === undefined;
          return await commitGroup(calls, operation, { name, file, lock: held.lock }, isMissing ? early : undefined);
        }
      } catch (error) {
        if (!mayBeginAgain(error, calls)) throw error;
        own.overtake();
        early = undefined;
        if (held?.lock.isHeld() === false) release();
        await nextTurn();
        workspace.root.refresh();
        continue;
      } finally {
        file.closeLater();
      }
      if (held === undefined) held = { lock: await waitForFileLocks(waiting, [relative]), relative };
      // A link now leads elsewhere: release, and take the lock of its new target.
      else if (held.relative !== relative) release();
    }
  } finally {
    release();
  }
}

/**
 * Whether an isolated edit that another program has overtaken starts again on the new text. Not if its caller named a
 * version, which is gone. Beside a program that appends every 7 ms, 44 of 57 edits were refused without this.
 */
function mayBeginAgain(error: unknown, calls: readonly Call<OperationName>[]): boolean {
  const [call, other] = calls;
  if (call === undefined || other !== undefined || !isOvertaken(error)) return false;
  const { params, context } = call;
  return context.precondition === undefined && !('expected_hash' in params);
}

function isUnfinished(file: OpenFile | Absent): boolean {
  return !(file instanceof Absent) && mayBeUnfinished(file.stats);
}

function stillNamesFile(file: OpenFile | Absent): boolean {
  return !(file instanceof Absent) && isStillThere(file);
}

type Opening = Pick<TextOperation<OperationName>, 'open'>;

/** @throws OperationError if the file may not be used or written */
function openToWrite(operation: Opening, root: Root, name: string): OpenFile | Absent {
  const file = openOrMiss(operation, root, name);
  if (file instanceof Absent) return file;
  try {
    assertWritable(file.place, name);
  } catch (error) {
    file.close();
    throw error;
  }
  return file;
}

function openOrMiss(operation: Opening, root: Root, name: string, again = true): OpenFile | Absent {
  try {
    return operation.open(root, name) ?? new Absent();
  } catch (error) {
    if (!(error instanceof OperationError && error.failure.kind === 'not_found')) throw error;
    const at = root.anchor.path(name);
    // The placeholder of a process that is moving something there, or died while moving it.
    if (isPlaceholder(at)) return new Absent();
    // The moved file may have replaced the placeholder in between.
    const hasAppeared = orUndefined(() => lstat(at))?.isFile() === true;
    return again && hasAppeared ? openOrMiss(operation, root, name, false) : new Absent(error);
  }
}
