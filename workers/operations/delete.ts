import type { BigIntStats } from 'node:fs';
import { OperationError } from '../../src/core/errors.js';
import type { Params } from '../../src/core/operations.js';
import { commitRemoval } from '../commit/commit-removal.js';
import { atLockedPath } from '../commit/locked-path.js';
import { Directory } from '../disk/paths/anchor.js';
import { entryAt, find } from '../disk/paths/find.js';
import type { FileLock } from '../disk/lock/lock.js';
import { missingAt } from '../disk/paths/meant.js';
import { endsAsDirectory, foundNoFile, rootRefused } from '../disk/paths/path-errors.js';
import { assertMayChange } from '../disk/paths/scope.js';
import { readVersion, type Version } from '../disk/write/version.js';
import { assertLinkInside, type Spot } from '../disk/paths/walk.js';
import type { Context, SuccessOf } from '../handler.js';
import { hashOf } from '../text/text-file.js';
import { assertExpected, expectingAt, hasChanged, isExpecting, isGone } from './has-changed.js';

const otherwise = 'Nothing was deleted. View the file again; to delete it anyway, send its current hash.';

const directoryThere = 'A directory is there, which has no hash: send none to delete it if it is empty.';
const linkThere =
  'A link to a directory is there, which has no hash: send none to delete the link itself; the directory and its contents stay.';

/** Delete a file, a link or an empty directory (spec 11). */
export async function deletePath(params: Params['delete'], context: Context): Promise<SuccessOf<'delete'>> {
  const { path } = params;
  const look = (spot: Spot | 'root'): BigIntStats => lookAt(params, context, spot);
  try {
    await atLockedPath(context, path, look, (spot, lock) => remove(params, context, spot, lock));
  } catch (error) {
    throw asExpected(params, context, error);
  }
  return { ok: true, result: { success: true, path } };
}

/**
 * A caller that expects a version learns that it is gone (412), whether the file, its directory or a link's target is
 * missing.
 */
export function asExpected(params: Params['delete'], { precondition }: Context, error: unknown): unknown {
  const about = expecting(params);
  if (!(error instanceof OperationError) || error.failure.kind !== 'not_found') return error;
  return isExpecting(about, precondition) ? isGone(about, error) : error;
}

function expecting(params: Params['delete']): ReturnType<typeof expectingAt> {
  return { ...expectingAt(params), otherwise };
}

/** Stats of the entry to delete. @throws OperationError if it may not be deleted */
export function lookAt({ path }: Params['delete'], { workspace }: Context, spot: Spot | 'root'): BigIntStats {
  if (spot === 'root') throw rootRefused(path, 'deleted');
  const seen = entryAt(spot);
  if (seen === undefined) throw missingAt(workspace.root, spot, 'any');
  assertMayChange(workspace.root, spot, seen.isDirectory());
  if (seen.isSymbolicLink()) assertLinkInside(workspace.root, spot);
  else if (!seen.isDirectory() && !seen.isFile()) throw foundNoFile(path);
  if (spot.directory && !seen.isDirectory()) throw endsAsDirectory(path);
  return seen;
}

async function remove(params: Params['delete'], context: Context, spot: Spot, lock: FileLock): Promise<void> {
  const seen = lookAt(params, context, spot);
  const version = expectedVersion(params, context, seen);
  try {
    await commitRemoval({ spot, seen, version }, lock, context);
  } finally {
    version?.file.close();
  }
}

/**
 * The version that is expected, read; to be closed by the caller.
 * @returns undefined if any will do
 * @throws OperationError changed, if the file is another one
 */
export function expectedVersion(
  params: Params['delete'],
  { workspace: { root, setup }, precondition }: Context,
  seen: BigIntStats,
): Version | undefined {
  const about = expecting(params);
  if (!isExpecting(about, precondition)) return undefined;
  const found = find(root, params.path, 'any');
  let version: Version | undefined;
  try {
    if (found instanceof Directory) {
      const look = seen.isSymbolicLink() ? linkThere : directoryThere;
      throw hasChanged({ ...about, look }, precondition, undefined);
    }
    // Any version will do, and the file may be too large to read.
    if (about.expected_hash === undefined && precondition === '*') return undefined;
    const read = readVersion(found, params.path, setup.maxBytes);
    assertExpected(about, precondition, () => hashOf(read.bytes));
    version = read;
    return version;
  } finally {
    if (version === undefined) found.close();
  }
}
