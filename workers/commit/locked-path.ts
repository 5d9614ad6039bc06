import { releaseLock, type FileLock } from '../disk/lock.js';
import { walk, type Spot } from '../disk/walk.js';
import type { Context } from '../handler.js';
import { acquireFileLocks, takeFileLock } from './file-lock.js';

/** What somebody else does to a path between two steps is met by starting again, so many times. */
export const mostAttempts = 8;

/**
 * Do something at a path under its lock.
 * @param refuse looks at what is there first, so that what can be refused without the lock creates nothing; throws if so
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
    const relative = withSpot(walk(root, path), (spot) => {
      refuse(spot);
      return spot === 'root' ? '' : spot.relative;
    });
    const lock = takeFileLock(context, relative) ?? (await acquireFileLocks(context, [relative]));
    try {
      const spot = walk(root, path);
      try {
        refuse(spot);
        // A link on the way that leads elsewhere by now: another lock is needed.
        if (spot !== 'root' && spot.relative === relative) return await use(spot, lock);
      } finally {
        if (spot !== 'root') spot.parent.close();
      }
    } finally {
      releaseLock(lock, context.notices);
    }
  }
}

export function withSpot<Result>(spot: Spot | 'root', use: (spot: Spot | 'root') => Result): Result {
  try {
    return use(spot);
  } finally {
    if (spot !== 'root') spot.parent.close();
  }
}
