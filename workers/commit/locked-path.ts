import { OperationError } from '../../src/core/errors.js';
import { releaseLock, type FileLock } from '../disk/lock/lock.js';
import { walk, type Spot } from '../disk/paths/walk.js';
import type { Context } from '../handler.js';
import { acquireFileLocks } from './file-lock.js';

/** If someone else changes a path between two steps, the operation starts again, at most this many times. */
const mostAttempts = 8;

/** Start again as long as that happens: another look tells what they have done. @throws what the last attempt throws */
export async function untilUnchanged<Result>(
  { workspace }: Pick<Context, 'workspace'>,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await work();
    } catch (error) {
      const changed = error instanceof OperationError && error.failure.kind === 'modified_concurrently';
      if (!changed || attempts === mostAttempts) throw error;
      workspace.root.refresh();
    }
  }
}

/**
 * Do something at a path under its lock.
 * @param refuse looks at what is there before the lock is taken, so that a call that must fail creates nothing; throws
 *   to refuse
 * @throws OperationError as `walk`, of the lock, and what the two functions throw
 */
export async function atLockedPath<Result>(
  context: Context,
  path: string,
  refuse: (spot: Spot | 'root') => unknown,
  use: (spot: Spot, lock: FileLock) => Result | Promise<Result>,
): Promise<Result> {
  const { root } = context.workspace;
  for (;;) {
    const locked = withSpot(walk(root, path), (spot) => {
      refuse(spot);
      return spot === 'root' ? [''] : lockedBy(spot);
    });
    const lock = await acquireFileLocks(context, locked);
    try {
      const spot = walk(root, path);
      try {
        refuse(spot);
        // A link on the way leads elsewhere by now, or more directories are missing: other locks are needed.
        if (spot !== 'root' && lockedBy(spot).every((each) => locked.includes(each))) return await use(spot, lock);
      } finally {
        if (spot !== 'root') spot.parent.close();
      }
    } finally {
      releaseLock(lock, context.notices);
    }
  }
}

/** Each lock takes a descriptor while it is held. */
const mostDirectories = 16;

/**
 * What must be locked to make something at a spot: its path, and those of the directories that will be made, or somebody
 * could delete them while they are still empty; of very many, the last ones, which are empty for longest.
 */
export function lockedBy({ relative, parent, missing }: Spot): string[] {
  const first = Math.max(1, missing.length - mostDirectories + 1);
  const last = missing.slice(first - 1);
  return [relative, ...last.map((_, index) => parent.relativeOf(missing.slice(0, first + index).join('/')))];
}

/** Use a place, and close its directory afterwards. */
export function withSpot<Result>(spot: Spot | 'root', use: (spot: Spot | 'root') => Result): Result {
  try {
    return use(spot);
  } finally {
    if (spot !== 'root') spot.parent.close();
  }
}
