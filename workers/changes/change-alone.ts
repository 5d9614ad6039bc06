import { plainNames } from '../../src/core/names/path.js';
import { judgeAndCommit } from './judge-and-commit.js';
import type { Context } from '../handler.js';
import type { Case, Judged, Told } from './judged-change.js';

interface Wanted {
  /** The paths of the change, as the caller wrote them. */
  readonly paths: readonly string[];
  readonly judge: (which: Case) => Judged;
  /** Whether the hash of the new text is needed. */
  readonly returnHash?: boolean;
  /** Whether to retry if another program was faster. */
  readonly beginsAgain: boolean;
}

/** Most attempts while the path keeps changing between judging and committing. */
const mostAttempts = 8;

/**
 * Make the only change of a call (spec 11).
 * @returns its entry in the answer of apply_changes, and whether it had an effect
 * @throws OperationError from judging and committing; RootMoved; the system error
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
