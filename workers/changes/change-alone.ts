import { plainNames } from '../../src/core/names/path.js';
import { judgeAndCommit } from './judge-and-commit.js';
import type { Context } from '../handler.js';
import type { Case, Judged, Told } from './judged-change.js';

interface Wanted {
  /** The paths that the change is about, as the caller wrote them. */
  readonly paths: readonly string[];
  readonly judge: (which: Case) => Judged;
  /** Whether the hash of the new text is needed. */
  readonly returnHash?: boolean;
  /** Whether to begin again if another program was faster. */
  readonly beginsAgain: boolean;
}

/** While a path keeps changing between two steps. */
const mostAttempts = 8;

/**
 * Make the only change of a call (spec 11).
 * @returns what apply_changes would tell of it, and whether it had an effect
 * @throws OperationError of judging and committing it; RootMoved; the system error
 */
export function changeAlone(
  { paths, judge, returnHash = false, beginsAgain }: Wanted,
  context: Context,
): Promise<{ readonly told: Told; readonly isChanged: boolean }> {
  const which: Case = { number: undefined, returnHash, context, claim: () => undefined };
  const wanted = {
    likely: paths.map((path) => plainNames(path).join('/')),
    isDry: false,
    mostAttempts: beginsAgain ? mostAttempts : 1,
    judge: () => [judge(which)] as const,
    answer: ([judged]: readonly [Judged]) => ({ told: judged.told(true), isChanged: judged.changes.length > 0 }),
  };
  return judgeAndCommit(wanted, context);
}
