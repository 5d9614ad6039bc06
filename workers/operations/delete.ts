import { rmdirSync, unlinkSync, type BigIntStats } from 'node:fs';
import { OperationError } from '../../src/core/errors.js';
import { isSameFile, sameIdentity } from '../../src/core/file-identity.js';
import type { Params } from '../../src/core/operations.js';
import { atLockedPath } from '../commit/locked-path.js';
import { lstat } from '../disk/calls.js';
import { assertStillInside } from '../disk/paths/descend.js';
import { changeSynced, syncsDirectories } from '../disk/write/directory-sync.js';
import { Directory } from '../disk/paths/anchor.js';
import { entryAt, find } from '../disk/paths/find.js';
import type { FileLock } from '../disk/lock/lock.js';
import { missingAt } from '../disk/paths/meant.js';
import { changedMeanwhile, endsAsDirectory, foundNoFile, rootRefused } from '../disk/paths/path-errors.js';
import { errnoOf, isSystemError, isTransient, noticeOf, retrying } from '../disk/system-error.js';
import { assertMayChange } from '../disk/paths/scope.js';
import { removeUnused } from '../disk/write/unused.js';
import { isCurrent, readVersion, type Version } from '../disk/write/version.js';
import { assertLinkInside, type Spot } from '../disk/paths/walk.js';
import type { Context, SuccessOf } from '../handler.js';
import { Stage } from '../../src/core/thread/task.js';
import { hashOf } from '../text/text-file.js';
import { assertExpected, expectingAt, hasChanged, isExpecting, isGone } from './has-changed.js';
import { platform } from '../../src/core/platform.js';
import { changeWhenLetGo } from '../let-go.js';

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
  const { workspace, progress, notices } = context;
  const { root, setup } = workspace;
  const place = spot.parent.place(spot.name);
  const seen = lookAt(params, context, spot);
  const version = expectedVersion(params, context, seen);
  try {
    const change = (): void => {
      root.assertInPlace();
      assertStillInside(root, spot.parent, spot.path);
      progress.enter(Stage.claimed);
      retrying((again) => {
        const there = again ? lstat(place.path) : seen;
        // An earlier attempt was reported as failed but was carried out.
        if (there === undefined) return;
        // An entry that another program has put there since the check is not the one the caller meant.
        const isMeant = !isAnother(there, seen) && (version === undefined || isCurrent(version));
        if (!lock.isHeld() || !isMeant) throw changedMeanwhile(spot.path);
        removeEntry(context, spot, seen, again);
      });
    };
    // Open here, it would keep its name until it is closed, or could not be removed.
    if (platform.openFilesAreHeld) version?.file.release();
    await changeWhenLetGo(() => {
      if (syncsDirectories(setup)) changeSynced(root, [place.directory], notices, change);
      else change();
    });
  } finally {
    version?.file.close();
  }
}

/** The inode number of a removed file is reused. A directory's contents may change, and it must be empty anyway. */
function isAnother(there: BigIntStats, seen: BigIntStats): boolean {
  return seen.isDirectory() ? !isSameFile(there, seen) : !sameIdentity(there, seen);
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

/**
 * On FUSE and network file systems a lost reply is reported as a failure although the entry is gone.
 * @param again an attempt was reported as failed and the entry is still visible, perhaps from a cache
 */
function removeEntry(context: Context, spot: Spot, seen: BigIntStats, again: boolean): void {
  const at = spot.parent.anchor.path(spot.name);
  try {
    if (seen.isDirectory()) removeDirectory(context, spot);
    else unlinkSync(at);
  } catch (error) {
    const errno = errnoOf(error);
    // Another program was faster: it removed the entry, or replaced a directory by a file or the reverse.
    if (errno === 'ENOENT' && again) return;
    if (errno === 'ENOENT') throw missingAt(context.workspace.root, spot, 'any');
    if (errno === 'EISDIR' || errno === 'ENOTDIR') throw changedMeanwhile(spot.path);
    if (!isSystemError(error) || lstat(at) !== undefined) throw error;
    if (isTransient(errnoOf(error))) return;
    context.notices.push(noticeOf('A deletion was reported as failed but carried out', error));
  }
}

function removeDirectory({ workspace, notices }: Context, spot: Spot): void {
  const at = spot.parent.anchor.path(spot.name);
  try {
    rmdirSync(at);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== 'ENOTEMPTY' && errno !== 'EEXIST') throw error;
    const details = removeUnused(workspace.reserved, spot, notices);
    if (details !== undefined) throw notEmpty(spot.path, details);
    try {
      rmdirSync(at);
    } catch (again) {
      if (errnoOf(again) !== 'ENOTEMPTY' && errnoOf(again) !== 'EEXIST') throw again;
      throw notEmpty(spot.path);
    }
  }
}

function notEmpty(path: string, details?: string): OperationError {
  return new OperationError('directory_not_empty', `Directory not empty: ${path}`, {
    data: { path },
    ...(details === undefined ? {} : { details }),
  });
}
