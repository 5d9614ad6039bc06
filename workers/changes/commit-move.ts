import { Phase } from '../../src/core/thread/task.js';
import type { FileLock } from '../disk/lock/lock.js';
import { syncsDirectories } from '../disk/write/directory-sync.js';
import { move, type Move } from '../disk/write/move.js';
import type { Recording } from '../history/recording.js';
import type { Context } from '../handler.js';

/**
 * Move a file, a link or a directory, and sync both directories (spec 11).
 * @param wanted as it was seen under the locks
 * @param lock of both paths
 * @throws OperationError as `move`; cancelled; RootMoved; the system error
 */
export async function commitMove(wanted: Move, lock: FileLock, context: Context, recording?: Recording): Promise<void> {
  const { workspace, progress, notices } = context;
  const { root, setup } = workspace;
  await move(root, wanted, {
    isHeld: () => lock.isHeld(),
    claim: () => {
      root.assertInPlace();
      progress.enter(Phase.claimed);
    },
    synced: syncsDirectories(setup),
    recording,
    notices,
  });
}
