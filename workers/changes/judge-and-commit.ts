/**
 * The only way to change directory entries, except texts committed in groups (file-group.ts): judge the changes, take
 * their locks, judge them again under the locks, and commit.
 */
import { mostLocked } from './record/record.js';
import { releaseLock, tryFileLocks, type FileLock } from '../disk/lock/lock.js';
import { closeGate, withWholeTree } from '../disk/lock/tree-lock.js';
import type { Spot } from '../disk/paths/walk.js';
import { changeSynced, syncsDirectories } from '../disk/write/directory-sync.js';
import type { Context } from '../handler.js';
import { Phase } from '../../src/core/thread/task.js';
import { movesDirectory, type Change } from './change.js';
import { commitChanges } from './commit-changes.js';
import { acquire, acquireInOrder } from '../commit/file-lock.js';
import { giveTime, isOvertaken, mayBeUnfinished, mostPatienceMs } from '../commit/other-writers.js';

/** A change that can be made in the current state of the directory. */
export interface Judged {
  /** The paths that it must lock. */
  readonly locked: readonly string[];
  /** The anchored parent directories of its names, if they exist. */
  readonly directories: readonly string[];
  /** Empty if it has no effect; two for a file that is moved and edited. */
  readonly changes: readonly Change[];
  /** Close its open files and directories, and free its texts. */
  close(): void;
}

/** What a call would change. */
export interface Wanted<All extends readonly Judged[], Answer> {
  /** The paths that it must lock, unless they contain links, or need directories to be created. */
  readonly likely: readonly string[];
  /** Whether it only reports what it would do. */
  readonly isDry: boolean;
  /** @throws OperationError if a change cannot be made */
  judge(): All | Promise<All>;
  /** Called once, when only the commit can still fail. */
  answer(judged: All): Answer;
  /** Limit of attempts while another program keeps winning the race. Infinity: until the call times out. */
  readonly mostAttempts: number;
}

/** @throws OperationError from judging, locking and committing */
export async function judgeAndCommit<All extends readonly Judged[], Answer>(
  wanted: Wanted<All, Answer>,
  context: Context,
): Promise<Answer> {
  const { workspace, progress, notices } = context;
  /** The locks needed, as far as known. No lock file is created unless a call writes. */
  let needed: Locks | undefined =
    wanted.isDry || wanted.likely.length === 0 || !workspace.reserved.isThere
      ? undefined
      : { paths: wanted.likely, wholeTree: false };
  let patienceMs = mostPatienceMs;
  // Another round if the held locks turn out not to suffice, for example because of a link.
  for (let attempt = 1; ;) {
    const lock = needed === undefined ? undefined : await take(needed, context);
    if (lock === undefined) progress.enter(Phase.running);
    try {
      const judged = await wanted.judge();
      try {
        if (wanted.isDry) return wanted.answer(judged);
        const locks = locksOf(judged);
        if (patienceMs > 0 && judged.some(isUnfinished)) {
          patienceMs -= await giveTime(context);
        } else if (lock !== undefined && needed !== undefined && covers(needed, locks)) {
          return await carryOut(wanted, judged, lock, context);
        }
        needed = locks;
      } finally {
        for (const each of judged) each.close();
      }
    } catch (error) {
      if (!isOvertaken(error) || attempt++ >= wanted.mostAttempts) throw error;
      progress.overtake();
    } finally {
      if (lock !== undefined) releaseLock(lock, notices);
    }
    workspace.root.refresh();
  }
}

function carryOut<All extends readonly Judged[], Answer>(
  wanted: Wanted<All, Answer>,
  judged: All,
  lock: FileLock,
  context: Context,
): Promise<Answer> | Answer {
  const changes = judged.flatMap((each) => each.changes);
  if (changes.length > 0) return commitChanges(changes, lock, context, () => wanted.answer(judged));
  confirm(judged, context);
  return wanted.answer(judged);
}

/**
 * Changes without effect may repeat a call that was carried out but not confirmed durable, so sync the directories
 * before acknowledging them too. @throws OperationError not_durable
 */
function confirm(judged: readonly Judged[], { workspace: { root, setup }, notices }: Context): void {
  if (!syncsDirectories(setup)) return;
  changeSynced(
    root,
    judged.flatMap((each) => each.directories),
    notices,
    () => undefined,
  );
}

/** Whether another program is still writing a file whose text is to be replaced. */
function isUnfinished({ changes }: Judged): boolean {
  return changes.some((change) => 'original' in change && mayBeUnfinished(change.original.stats));
}

interface Locks {
  readonly paths: readonly string[];
  /** For moving a directory, which changes every path below it. */
  readonly wholeTree: boolean;
}

function locksOf(judged: readonly Judged[]): Locks {
  return {
    paths: judged.flatMap(({ locked }) => locked),
    wholeTree: judged.some(({ changes }) => changes.some(movesDirectory)),
  };
}

function covers(held: Locks, needed: Locks): boolean {
  return held.wholeTree === needed.wholeTree && needed.paths.every((path) => held.paths.includes(path));
}

async function take({ paths, wholeTree }: Locks, context: Context): Promise<FileLock> {
  if (!wholeTree) return acquireInOrder(context, paths);
  const { workspace, notices } = context;
  const { reserved } = workspace;
  const gate = await acquire(context, paths, () => closeGate(reserved, notices));
  try {
    const files = (): FileLock | null => tryFileLocks(reserved, paths, notices);
    return await acquire(context, paths, () => withWholeTree(reserved, files, notices));
  } finally {
    releaseLock(gate, notices);
  }
}

/**
 * The paths to lock before creating an entry: its own, and those of directories to be created, which could otherwise be
 * deleted while still empty. If there are very many, only the deepest ones, which stay empty longest.
 */
export function lockedBy({ relative, parent, missing }: Spot): string[] {
  const first = Math.max(1, missing.length - mostLocked + 1);
  const last = missing.slice(first - 1);
  return [relative, ...last.map((_, index) => parent.relativeOf(missing.slice(0, first + index).join('/')))];
}
