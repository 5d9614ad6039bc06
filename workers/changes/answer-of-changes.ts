import type { Params } from '../../src/core/operations.js';
import { tookCrlf } from '../commit/text-at-path.js';
import type { SuccessOf } from '../handler.js';
import { namesIn } from '../history/reader.js';
import type { Judged, Reported } from './judged-change.js';

export type DiffOfChanges = typeof import('../text/edit/diff-of-changes.js').diffOfChanges;

export function reportOf(judged: Judged): Reported {
  return { ...judged, isChanged: judged.changes.length > 0 };
}

/** What a call that changes several files answers (spec 14). @param reported in order */
export function answerOf(
  reported: readonly Reported[],
  { dry_run = false }: Pick<Params['apply_changes'], 'dry_run'>,
  diffOfChanges: DiffOfChanges,
): SuccessOf<'apply_changes'> {
  const changed = reported.filter(({ isChanged }) => isChanged);
  const told = reported.map((each) => each.told(!dry_run));
  return {
    ok: true,
    result: {
      success: true,
      changes: told,
      files_changed: changed.length,
      diff: diffOfChanges(changed.map(({ diff }) => diff)),
      dry_run,
    },
    changed: dry_run ? [] : told.filter((_, index) => reported[index]?.isChanged === true).flatMap(namesIn),
    forModel: { remarks: reported.filter((each) => each.tookCrlf).map(({ path }) => `${path} ${tookCrlf}`) },
  };
}
