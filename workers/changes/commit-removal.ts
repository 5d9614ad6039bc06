import { rmdirSync, unlinkSync, type BigIntStats } from 'node:fs';
import { OperationError } from '../../src/core/errors.js';
import { isSameFile, sameIdentity } from '../../src/core/file-identity.js';
import { platform } from '../../src/core/platform.js';
import { Phase } from '../../src/core/thread/task.js';
import { lstat } from '../disk/calls.js';
import type { FileLock } from '../disk/lock/lock.js';
import { assertStillInside } from '../disk/paths/descend.js';
import { missingAt } from '../disk/paths/meant.js';
import { changedMeanwhile } from '../disk/paths/path-errors.js';
import type { Spot } from '../disk/paths/walk.js';
import { errnoOf, isSystemError, isTransient, noticeOf, retrying } from '../disk/system-error.js';
import { changeSynced, syncsDirectories } from '../disk/write/directory-sync.js';
import { removeUnused } from '../disk/write/remove-unused.js';
import { isCurrent, type Version } from '../disk/write/version.js';
import { recorded, type Recording } from '../history/recording.js';
import type { Context } from '../handler.js';
import { changeWhenLetGo, untilGone } from '../let-go.js';

/** An entry to be removed, as it was seen under its lock. */
interface Removal {
  readonly spot: Spot;
  readonly seen: BigIntStats;
  /** The file as it was read; undefined if any version will do. */
  readonly version: Version | undefined;
}

/**
 * Remove a file, a link or an empty directory (spec 11), and sync its directory.
 * @throws OperationError modified_concurrently, directory_not_empty, not_found, not_durable; the system error
 */
export async function commitRemoval(
  { spot, seen, version }: Removal,
  lock: FileLock,
  context: Context,
  recording?: Recording,
): Promise<void> {
  const { workspace, progress, notices } = context;
  const { root, setup } = workspace;
  const place = spot.parent.place(spot.name);
  /**
   * An attempt was made, perhaps before a wait for another program (let-go.ts), which may have put something else
   * there.
   */
  let again = false;
  const change = (): void => {
    root.assertInPlace();
    assertStillInside(root, spot.parent, spot.path);
    recorded(recording, () => {
      const isKept = recording !== undefined && seen.isFile();
      const expected = isKept ? recording.keep(place.path, seen) : seen;
      const current = isKept && version !== undefined ? recording.keepVersion(version) : version;
      progress.enter(Phase.claimed);
      retrying(() => {
        const there = again || isKept ? lstat(place.path) : seen;
        // An earlier attempt was reported as failed but was carried out.
        if (there === undefined && again) return;
        // An entry that another program has put there since the check is not the one the caller meant.
        const isMeant =
          there !== undefined && !isAnother(there, expected) && (current === undefined || isCurrent(current));
        if (!lock.isHeld() || !isMeant) throw changedMeanwhile(spot.path);
        const before = again;
        again = true;
        removeEntry(context, spot, seen, before);
      });
    });
  };
  // A file that is open here keeps its name until it is closed, or cannot be removed.
  if (platform.openFilesAreHeld) version?.file.release();
  const directories = syncsDirectories(setup) ? [place.directory] : [];
  await changeWhenLetGo(() => {
    changeSynced(root, directories, notices, change, () => recording?.unsynced ?? []);
  });
  await untilGone(place.path);
}

/** The inode number of a removed file is reused. A directory's contents may change, and it must be empty anyway. */
function isAnother(there: BigIntStats, seen: BigIntStats): boolean {
  return seen.isDirectory() ? !isSameFile(there, seen) : !sameIdentity(there, seen);
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
    // Windows reports ENOENT also for a file in place of a directory.
    const isReplaced = errno === 'ENOENT' && lstat(at) !== undefined;
    if (isReplaced || errno === 'EISDIR' || errno === 'ENOTDIR') throw changedMeanwhile(spot.path);
    if (errno === 'ENOENT') throw missingAt(context.workspace.root, spot, 'any');
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
