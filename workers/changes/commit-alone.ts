import type { FileLock } from '../disk/lock/lock.js';
import type { Context } from '../handler.js';
import type { Change, Making } from './change.js';
import { recordingOf } from './entry-of-change.js';
import { commitText } from '../commit/commit.js';
import { commitCreation } from './commit-creation.js';
import { commitMove } from './commit-move.js';
import { commitRemoval } from './commit-removal.js';

/**
 * Commit a single change (spec 6): two syncs, no record.
 * @param lock of its paths
 * @param makeAnswer if it throws, nothing is changed
 * @returns the answer
 * @throws OperationError as commitText, commitCreation, commitRemoval and commitMove; the system error
 */
export async function commitAlone<Answer>(
  change: Exclude<Change, Making>,
  lock: FileLock,
  context: Context,
  makeAnswer: () => Answer,
): Promise<Answer> {
  const { workspace, progress, notices } = context;
  const { root, reserved, setup } = workspace;
  const recording = recordingOf(change, context);
  switch (change.kind) {
    case 'replace': {
      const { original, text, like, name } = change;
      const { place } = original.file;
      return commitText(
        { root, reserved, setup, lock, place, original, text, like, calls: [progress], recording, name, notices },
        makeAnswer,
      );
    }
    case 'create':
      return commitCreation(change, lock, context, makeAnswer, recording);
    case 'remove': {
      const answer = makeAnswer();
      await commitRemoval(change, lock, context, recording);
      return answer;
    }
    case 'move': {
      const { from, to, seen: what } = change;
      const answer = makeAnswer();
      await commitMove({ from, to, what }, lock, context, recording);
      return answer;
    }
  }
}
