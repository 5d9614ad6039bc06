import { plainNames } from '../../src/core/names/path.js';
import type { Params } from '../../src/core/operations.js';
import { answerOf, reportOf } from '../changes/answer-of-changes.js';
import { editsTogether } from '../changes/edits-together.js';
import { judgeAndCommit } from '../changes/judge-and-commit.js';
import { judgeChanges, type FilesOfGlobs } from '../changes/judge-changes.js';
import { isKeptClosed } from '../disk/system-error.js';
import type { Context, SuccessOf, Together } from '../handler.js';
import { untilLetGo } from '../let-go.js';

/** Change several files: all or nothing, even across a crash (spec 14). */
export const applyChanges: Together<'apply_changes'> = {
  async together(calls) {
    // Loaded on first use, as in apply_edits.
    const { diffOfChanges } = await import('../text/edit/diff-of-changes.js');
    return editsTogether(calls, (edited, params) => answerOf(edited, params, diffOfChanges));
  },
  alone: changeFiles,
};

async function changeFiles(params: Params['apply_changes'], context: Context): Promise<SuccessOf<'apply_changes'>> {
  const { diffOfChanges } = await import('../text/edit/diff-of-changes.js');
  const ofGlobs: FilesOfGlobs = new Map();
  return judgeAndCommit(
    {
      likely: params.changes.flatMap(({ path, rename_to }) =>
        [path, rename_to].filter((each) => each !== undefined).map((each) => plainNames(each).join('/')),
      ),
      isDry: params.dry_run === true,
      mostAttempts: beginsAgain(params) ? Infinity : 1,
      // Wait here rather than in perform.ts: by then, the error already names its change.
      judge: () => untilLetGo(() => judgeChanges(params, context, ofGlobs), isKeptClosed),
      answer: (judged) => answerOf(judged.map(reportOf), params, diffOfChanges),
    },
    context,
  );
}

/** Edits of a single file are retried like any other edit, on the version that another program has written. */
function beginsAgain({ changes: [only, other] }: Params['apply_changes']): boolean {
  return (
    only?.path !== undefined && only.edits !== undefined && only.expected_hash === undefined && other === undefined
  );
}
