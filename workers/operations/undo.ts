import type { Params } from '../../src/core/operations.js';
import { answerOf, reportOf } from '../changes/answer-of-changes.js';
import { judgeAndCommit } from '../changes/judge-and-commit.js';
import { syncTogether } from '../disk/write/shared-sync.js';
import type { Context, SuccessOf } from '../handler.js';
import type { RecordedChange } from '../history/recorded-change.js';

/** Take recorded changes back: all or nothing, without harm to what others have changed since (spec 18). */
export async function undo(params: Params['undo'], context: Context): Promise<SuccessOf<'undo'>> {
  // Loaded on first use: with the library that compares lines.
  const { judgeUndo, pathsToUndo } = await import('../changes/undo/judge-undo.js');
  const { diffOfChanges } = await import('../text/edit/diff-of-changes.js');
  const { dry_run = false } = params;
  let undone: readonly RecordedChange[] = [];
  const answer = await judgeAndCommit(
    {
      likely: pathsToUndo(params, context),
      isDry: dry_run,
      mostAttempts: 1,
      judge() {
        const found = judgeUndo(params, context);
        undone = found.undone;
        if (context.change !== undefined) context.change.undoes = undone.map(({ id }) => id);
        return found.judged;
      },
      answer: (judged) => answerOf(judged.filter(({ isTold }) => isTold).map(reportOf), params, diffOfChanges),
    },
    context,
  );
  if (!dry_run) await recordWithoutEffect(context);
  return {
    ...answer,
    result: { ...answer.result, undone: undone.map(({ id }) => id) },
    forModel: {
      ...answer.forModel,
      undone: undone.map(({ id, caller, operation }) => `${id} (${caller ?? '-'}, ${operation})`),
    },
  };
}

/** What cancels itself out is undone, too: otherwise `last` would find it again and again. @throws OperationError */
async function recordWithoutEffect({ change, workspace: { history, setup }, notices }: Context): Promise<void> {
  if (change === undefined || change.id !== undefined) return;
  const { operation, caller, undoes } = change;
  const [record] = history.append([{ operation, caller, undoes, files: [] }], notices);
  change.id = record?.id;
  await syncTogether('directory_sync', history.unsynced, setup.sharesThread);
}
