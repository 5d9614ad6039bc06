import { plainNames } from '../../src/core/names/path.js';
import type { Params } from '../../src/core/operations.js';
import { Stage } from '../../src/core/thread/task.js';
import { commitChanges } from '../commit/commit-changes.js';
import { closeAll, judgeChanges } from './judge-changes.js';
import type { Judged, Told } from './judged.js';
import { acquireInOrder } from '../commit/file-lock.js';
import { giveTime, isOvertaken, mayBeUnfinished, mostPatienceMs } from '../commit/unfinished.js';
import { releaseLock, type FileLock } from '../disk/lock/lock.js';
import { changeSynced, syncsDirectories } from '../disk/write/directory-sync.js';
import { isKeptClosed } from '../disk/system-error.js';
import type { Context, SuccessOf } from '../handler.js';
import { untilLetGo } from '../let-go.js';
import { tookCrlf } from './text-at-path.js';

type Diff = typeof import('../text/edit/diff-of-changes.js');

/** Change several files, all or nothing, whatever happens (spec 14). */
export async function applyChanges(
  params: Params['apply_changes'],
  context: Context,
): Promise<SuccessOf<'apply_changes'>> {
  const { workspace, notices } = context;
  // Loaded on first use, as for apply_edits.
  const diff = await import('../text/edit/diff-of-changes.js');
  const isDry = params.dry_run === true;
  /** The locks that the changes need, as far as is known. Nothing is made for a lock unless a call writes. */
  let needed = isDry || !workspace.reserved.isThere ? undefined : plainPaths(params);
  let patienceMs = mostPatienceMs;
  // If other locks are needed by the time they are held, such as behind a link, there is another round.
  for (;;) {
    const lock = needed === undefined ? undefined : await acquireInOrder(context, needed);
    if (lock === undefined) context.progress.enter(Stage.running);
    try {
      // An error here names its change, so it must not be left to whoever runs the call to wait.
      const judged = await untilLetGo(() => judgeChanges(params, context), isKeptClosed);
      try {
        const locked = judged.flatMap((each) => each.locked);
        if (isDry) return answerOf(judged, params, diff);
        if (patienceMs > 0 && judged.some(isUnfinished)) {
          patienceMs -= await giveTime(context);
        } else if (lock !== undefined && locked.every((each) => needed?.includes(each))) {
          return await carryOut(judged, params, context, lock, diff);
        }
        needed = locked;
      } catch (error) {
        if (!mayBeginAgain(error, params)) throw error;
        context.progress.overtake();
      } finally {
        closeAll(judged);
      }
    } finally {
      if (lock !== undefined) releaseLock(lock, notices);
    }
    workspace.root.refresh();
  }
}

/** A change of one file by its text is an edit like any other, which begins again on what another program has left. */
function mayBeginAgain(error: unknown, { changes: [only, other] }: Params['apply_changes']): boolean {
  if (only?.edits === undefined || only.expected_hash !== undefined || other !== undefined) return false;
  return isOvertaken(error);
}

/** Where the changes are, unless there are links on the way, or directories to be made. */
function plainPaths({ changes }: Params['apply_changes']): string[] {
  return changes.flatMap(({ path, rename_to }) =>
    [path, ...(rename_to === undefined ? [] : [rename_to])].map((each) => plainNames(each).join('/')),
  );
}

function carryOut(
  judged: readonly Judged[],
  params: Params['apply_changes'],
  context: Context,
  lock: FileLock,
  diff: Diff,
): Promise<SuccessOf<'apply_changes'>> | SuccessOf<'apply_changes'> {
  const changes = judged.map(({ change }) => change).filter((change) => change !== undefined);
  if (changes.length > 0) return commitChanges(changes, lock, context, () => answerOf(judged, params, diff));
  confirm(judged, context);
  return answerOf(judged, params, diff);
}

/** Another program is still writing a file that is to be replaced. */
function isUnfinished({ change }: Judged): boolean {
  return change?.kind === 'replace' && mayBeUnfinished(change.original.stats);
}

/**
 * Changes without effect may repeat a call that was carried out but not confirmed durable. So sync the directories
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

function answerOf(
  judged: readonly Judged[],
  { dry_run = false }: Params['apply_changes'],
  { diffOfChanges }: Diff,
): SuccessOf<'apply_changes'> {
  const changed = judged.filter(({ change }) => change !== undefined);
  const told = judged.map((each) => each.told(!dry_run));
  return {
    ok: true,
    result: {
      success: true,
      changes: told,
      files_changed: changed.length,
      diff: diffOfChanges(changed.map(({ diff }) => diff)),
      dry_run,
    },
    changed: dry_run ? [] : namesIn(told.filter((_, index) => judged[index]?.change !== undefined)),
    forModel: { remarks: judged.filter((each) => each.tookCrlf).map(({ path }) => `${path} ${tookCrlf}`) },
  };
}

function namesIn(told: readonly Told[]): readonly string[] {
  return told.flatMap(({ path, new_path }) => (new_path === undefined ? [path] : [path, new_path]));
}
