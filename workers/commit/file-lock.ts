import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError, type Notice } from '../../src/core/errors.js';
import { finishAbandoned, seenRecord } from '../changes/record/abandoned.js';
import { joined, lockNames, releaseLock, tryAll, tryFileLocks, tryLockFile, type FileLock } from '../disk/lock/lock.js';
import { TreeShare } from '../disk/lock/tree-lock.js';
import type { CallPhase } from '../progress.js';
import { Phase } from '../../src/core/thread/task.js';
import { addTiming } from '../../src/core/thread/timings.js';
import { nextTurn } from '../turn.js';
import type { Workspace } from '../workspace.js';

/** Milliseconds between attempts. */
const shortestPause = 2;
const longestPause = 16;
const shareOfWait = 1 / 32;

/**
 * Pause before the next attempt: a share of the time waited so far, so a stuck holder costs little. The pause grows
 * slowly; otherwise the longest waiter polls least often and newcomers overtake it: with pauses that doubled each time,
 * 5 servers editing one file waited up to 100 ms (p99) instead of 38, at 8 % more edits a second.
 * @param waited milliseconds @returns milliseconds
 */
export function pauseAfter(waited: number): number {
  return Math.min(Math.max(shortestPause, waited * shareOfWait), longestPause);
}

export interface Waiting {
  readonly workspace: Workspace;
  readonly progress: CallPhase;
  readonly notices: Notice[];
}

/**
 * Take all locks that a write of these paths needs, waiting while other calls of this thread run. No deadline here: the
 * main thread cancels the call when its time is up. Locks are polled, since blocking in the system would take a thread
 * per waiter and has no time-out.
 * @param relatives paths below the working directory
 * @throws OperationError cancelled; the system error if the system cannot lock
 */
export async function acquireFileLocks(context: Waiting, relatives: readonly string[]): Promise<FileLock> {
  return takeFileLocks(context, relatives) ?? (await waitForFileLocks(context, relatives));
}

/** As acquireFileLocks, if the locks are free. @returns null if another holder has one */
export function takeFileLocks(context: Waiting, relatives: readonly string[]): FileLock | null {
  return take(context, relatives, takeAll(context, relatives, shareOf(context)));
}

/** As acquireFileLocks, after takeFileLocks has failed: skips the first attempt. */
export async function waitForFileLocks(context: Waiting, relatives: readonly string[]): Promise<FileLock> {
  const share = shareOf(context);
  try {
    return await waitFor(context, relatives, takeAll(context, relatives, share));
  } finally {
    share.giveUp();
  }
}

/**
 * As acquireFileLocks, for very many files: if they are not all free at once, each is waited for while those before it
 * are held. Every process takes them in the same order, so there is no deadlock; and no file can starve the call, as it
 * could if all locks had to be free at once.
 */
export async function acquireInOrder(context: Waiting, relatives: readonly string[]): Promise<FileLock> {
  const { workspace, notices } = context;
  const atOnce = takeFileLocks(context, relatives);
  if (atOnce !== null) return atOnce;
  const held: FileLock[] = [];
  let complete = false;
  const share = shareOf(context);
  try {
    const nothing: TryTake = () => tryAll([], notices);
    if (relatives.some(isNested)) held.push(await acquire(context, [], () => share.take(nothing)));
    for (const name of lockNames(relatives)) {
      held.push(await acquire(context, relatives, () => tryLockFile(workspace.reserved, name, notices)));
    }
    complete = true;
    return joined(held);
  } finally {
    share.giveUp();
    if (!complete) releaseLock(joined(held), notices);
  }
}

function shareOf({ workspace, notices }: Waiting): TreeShare {
  return new TreeShare(workspace.reserved, notices);
}

/** One attempt. @returns null if another holder has it */
type TryTake = () => FileLock | null;

/** The locks of these files, and a share of the tree lock if moving a directory could move them. */
function takeAll({ workspace, notices }: Waiting, relatives: readonly string[], share: TreeShare): TryTake {
  const tryFiles: TryTake = () => tryFileLocks(workspace.reserved, relatives, notices);
  return relatives.some(isNested) ? () => share.take(tryFiles) : tryFiles;
}

function isNested(relative: string): boolean {
  return relative.includes('/');
}

/** @param relatives the files to be written */
function take(context: Waiting, relatives: readonly string[], tryTake: TryTake): FileLock | null {
  const { progress, notices } = context;
  assertAdvanced(progress, Phase.waiting);
  const lock = takeIfSettled(context, relatives, tryTake);
  if (lock === null || progress.advance(Phase.running)) return lock;
  releaseLock(lock, notices);
  throw cancelled();
}

/**
 * Take locks, unless decided changes are pending (spec 14): those of a dead process are made first; those of a live one
 * are waited for, if they concern the same files.
 */
function takeIfSettled(
  { workspace, notices }: Waiting,
  relatives: readonly string[],
  tryTake: TryTake,
): FileLock | null {
  let passed = false;
  for (;;) {
    const lock = tryTake();
    if (lock === null || passed) return lock;
    let seen: ReturnType<typeof seenRecord>;
    let looked = false;
    try {
      seen = seenRecord(workspace, relatives, notices);
      looked = true;
    } finally {
      if (!looked) releaseLock(lock, notices);
    }
    if (seen === undefined || !(seen.abandoned || seen.concerned)) return lock;
    // Whoever finishes the changes needs their locks.
    releaseLock(lock, notices);
    if (!seen.abandoned) return null;
    try {
      if (!finishAbandoned(workspace, notices)) return null;
    } catch (error) {
      if (seen.concerned || !(error instanceof OperationError)) throw error;
      notices.push({ message: error.message });
      passed = true;
    }
  }
}

/** Take something, waiting until its other holders release it. @param relatives the files to be written */
export async function acquire(context: Waiting, relatives: readonly string[], tryTake: TryTake): Promise<FileLock> {
  return take(context, relatives, tryTake) ?? (await waitFor(context, relatives, tryTake));
}

/** Poll after a failed attempt. */
async function waitFor(context: Waiting, relatives: readonly string[], tryTake: TryTake): Promise<FileLock> {
  const began = performance.now();
  for (;;) {
    const pause = pauseAfter(performance.now() - began);
    // Jitter, so two servers that wait for each other's files do not stay in step.
    await sleep(pause * (0.5 + Math.random() / 2));
    await nextTurn();
    if (context.progress.cancelled) throw cancelled();
    context.workspace.root.refresh();
    const lock = take(context, relatives, tryTake);
    if (lock === null) continue;
    addTiming('lock_wait', performance.now() - began);
    return lock;
  }
}

/** @throws OperationError cancelled, if the call was */
export function assertAdvanced(progress: CallPhase, next: Phase): void {
  if (!progress.advance(next)) throw cancelled();
}

function cancelled(): OperationError {
  return new OperationError('cancelled', 'Cancelled while waiting for the file');
}
