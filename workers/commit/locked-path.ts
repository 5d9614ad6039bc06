import { OperationError } from '../../src/core/errors.js';
import { releaseLock, type FileLock } from '../disk/lock/lock.js';
import type { Root } from '../disk/paths/root.js';
import { walk, type Spot } from '../disk/paths/walk.js';
import type { Context } from '../handler.js';
import { acquireFileLocks } from './file-lock.js';

/** Most attempts of an operation while its path keeps changing between two steps. */
export const mostAttempts = 8;

/** Restart while that happens: a fresh check sees the other writer's result. @throws the error of the last attempt */
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
 * @param refuse checks the path before the lock is taken, so a call that must fail creates nothing; throws to refuse
 * @throws OperationError as `walk`, of the lock, and those of the two functions
 */
export async function atLockedPath<Result>(
  context: Context,
  path: string,
  refuse: (spot: Spot | 'root') => unknown,
  use: (spot: Spot, lock: FileLock) => Result | Promise<Result>,
): Promise<Result> {
  const { root } = context.workspace;
  for (;;) {
    const locked = pathsToLock(root, path, refuse);
    const lock = await acquireFileLocks(context, locked);
    try {
      const spot = walk(root, path);
      try {
        refuse(spot);
        // If a link on the way now leads elsewhere, or more directories are missing, other locks are needed.
        if (spot !== 'root' && lockedBy(spot).every((each) => locked.includes(each))) return await use(spot, lock);
      } finally {
        if (spot !== 'root') spot.parent.close();
      }
    } finally {
      releaseLock(lock, context.notices);
    }
  }
}

/** The paths to lock for what is there now. @throws as `atLockedPath` */
function pathsToLock(root: Root, path: string, refuse: (spot: Spot | 'root') => unknown): string[] {
  const spot = walk(root, path);
  try {
    refuse(spot);
    return spot === 'root' ? [''] : lockedBy(spot);
  } finally {
    if (spot !== 'root') spot.parent.close();
  }
}

/** Each held lock takes a descriptor. */
const mostDirectories = 16;

/**
 * The paths to lock before creating something at a spot: its own, and the directories to be made, which could otherwise
 * be deleted while they are still empty. Of very many, the last ones, which stay empty longest.
 */
export function lockedBy({ relative, parent, missing }: Spot): string[] {
  const first = Math.max(1, missing.length - mostDirectories + 1);
  const last = missing.slice(first - 1);
  return [relative, ...last.map((_, index) => parent.relativeOf(missing.slice(0, first + index).join('/')))];
}
