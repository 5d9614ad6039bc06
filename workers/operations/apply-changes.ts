import { plainNames } from '../../src/core/names/path.js';
import type { Params } from '../../src/core/operations.js';
import { judgeAndCommit } from '../changes/judge-and-commit.js';
import { judgeChanges, type FilesOfGlobs } from '../changes/judge-changes.js';
import type { Judged, Told } from '../changes/judged-change.js';
import { isKeptClosed } from '../disk/system-error.js';
import type { Context, SuccessOf } from '../handler.js';
import { untilLetGo } from '../let-go.js';
import { tookCrlf } from '../commit/text-at-path.js';

type DiffOfChanges = typeof import('../text/edit/diff-of-changes.js').diffOfChanges;

/** Change several files: all or nothing, even across a crash (spec 14). */
export async function applyChanges(
  params: Params['apply_changes'],
  context: Context,
): Promise<SuccessOf<'apply_changes'>> {
  // Loaded on first use, as in apply_edits.
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
      answer: (judged) => answerOf(judged, params, diffOfChanges),
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

function answerOf(
  judged: readonly Judged[],
  { dry_run = false }: Params['apply_changes'],
  diffOfChanges: DiffOfChanges,
): SuccessOf<'apply_changes'> {
  const changed = judged.filter(({ changes }) => changes.length > 0);
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
    changed: dry_run ? [] : namesIn(told.filter((_, index) => judged[index]?.changes.length !== 0)),
    forModel: { remarks: judged.filter((each) => each.tookCrlf).map(({ path }) => `${path} ${tookCrlf}`) },
  };
}

function namesIn(told: readonly Told[]): readonly string[] {
  return told.flatMap(({ path, new_path }) => (new_path === undefined ? [path] : [path, new_path]));
}
