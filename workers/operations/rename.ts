import type { BigIntStats } from 'node:fs';
import type { Params } from '../../src/core/operations.js';
import { commitMove } from '../commit/commit-move.js';
import { acquire, acquireFileLocks } from '../commit/file-lock.js';
import { lockedBy, untilUnchanged } from '../commit/locked-path.js';
import { entryAt } from '../disk/paths/find.js';
import { releaseLock, tryFileLocks, type FileLock } from '../disk/lock/lock.js';
import { missingAt } from '../disk/paths/meant.js';
import type { Move } from '../disk/write/move.js';
import {
  insideItself,
  endsAsDirectory,
  foundNoFile,
  namesDirectory,
  pathExists,
  rootRefused,
} from '../disk/paths/path-errors.js';
import type { Root } from '../disk/paths/root.js';
import { assertMayChange } from '../disk/paths/scope.js';
import { closeGate, withWholeTree } from '../disk/lock/tree-lock.js';
import { assertLinkInside, walk, type Spot } from '../disk/paths/walk.js';
import type { Context, SuccessOf } from '../handler.js';
import type { Place } from '../disk/paths/open-file.js';
import { isRespelling } from '../disk/paths/spelling.js';

/** Move a file, a link or a directory to another path (spec 11); never overwrites. */
export async function renamePath(params: Params['rename'], context: Context): Promise<SuccessOf<'rename'>> {
  const { old_path, new_path } = params;
  let done = false;
  while (!done) done = await untilUnchanged(context, () => renameOnce(params, context));
  return { ok: true, result: { success: true, old_path, new_path } };
}

/** @returns false if other locks than those taken are needed */
async function renameOnce(params: Params['rename'], context: Context): Promise<boolean> {
  const needed = await withMove(params, context, lockKey);
  const lock = await lockFor(context, needed);
  try {
    return await withMove(params, context, async (wanted) => {
      if (!sameLocks(lockKey(wanted), needed)) return false;
      await commitMove(wanted, lock, context);
      return true;
    });
  } finally {
    releaseLock(lock, context.notices);
  }
}

/** Walk to both places and check them. @throws OperationError if nothing may be moved between them */
async function withMove<Result>(
  { old_path, new_path }: Params['rename'],
  { workspace: { root } }: Context,
  use: (wanted: Move) => Result | Promise<Result>,
): Promise<Result> {
  const from = walk(root, old_path);
  if (from === 'root') throw rootRefused(old_path, 'moved');
  try {
    const there = walk(root, new_path);
    if (there === 'root') throw rootRefused(new_path, 'replaced');
    try {
      const to = respelled(from, there);
      return await use({ from, to, what: assertMovable(root, from, to) });
    } finally {
      there.parent.close();
    }
  } finally {
    from.parent.close();
  }
}

/** @throws OperationError not_allowed if the caller may not change both places */
export function assertMayMove(root: Root, from: Spot, to: Spot, isDirectory: boolean): void {
  for (const spot of [from, to]) assertMayChange(root, spot, isDirectory);
}

/**
 * @param member the parameter that names the new path
 * @returns stats of the entry to move
 */
export function assertMovable(root: Root, from: Spot, to: Spot, member = 'new_path'): BigIntStats {
  const what = entryAt(from);
  if (what === undefined) throw missingAt(root, from, 'any');
  assertMayMove(root, from, to, what.isDirectory());
  if (what.isSymbolicLink()) assertLinkInside(root, from);
  else if (!what.isDirectory() && !what.isFile()) throw foundNoFile(from.path);
  if (from.directory && !what.isDirectory()) throw endsAsDirectory(from.path);
  if (what.isDirectory() && to.relative.startsWith(`${from.relative}/`)) throw insideItself(to.path);
  const there = entryAt(to);
  if (there !== undefined && !isRespelling(placeOf(from), placeOf(to)))
    throw pathExists(to.path, to.relative === from.relative ? 'itself' : there);
  if (to.directory && !what.isDirectory()) throw namesDirectory(member, to.path);
  return what;
}

/**
 * The new place of a rename. Where the file system takes the new name for another spelling of the old one, the walk has
 * led to the old one.
 */
export function respelled(from: Spot, to: Spot): Spot {
  const place = to.parent.place(to.given);
  const isMeant = to.missing.length === 0 && isRespelling(placeOf(from), place);
  return isMeant ? { ...to, name: to.given, relative: place.relative } : to;
}

function placeOf({ parent, name }: Spot): Place {
  return parent.place(name);
}

/**
 * The locks of a rename: both paths, with directories that it makes, and, for a directory, the whole tree, since every
 * path below it changes.
 */
interface LockKey {
  readonly paths: readonly string[];
  readonly wholeTree: boolean;
}

function lockKey({ from, to, what }: Move): LockKey {
  return { paths: [from.relative, ...lockedBy(to)], wholeTree: what.isDirectory() };
}

function sameLocks(a: LockKey, b: LockKey): boolean {
  return a.wholeTree === b.wholeTree && a.paths.every((path, index) => path === b.paths[index]);
}

async function lockFor(context: Context, { paths, wholeTree }: LockKey): Promise<FileLock> {
  const { workspace, notices } = context;
  const { reserved } = workspace;
  if (!wholeTree) return acquireFileLocks(context, paths);
  const gate = await acquire(context, paths, () => closeGate(reserved, notices));
  try {
    const files = (): FileLock | null => tryFileLocks(reserved, paths, notices);
    return await acquire(context, paths, () => withWholeTree(reserved, files, notices));
  } finally {
    releaseLock(gate, notices);
  }
}
