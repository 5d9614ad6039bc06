/** Judges the removal of an entry (spec 11 and 14). Nothing is written. */
import type { BigIntStats } from 'node:fs';
import { OperationError } from '../../src/core/errors.js';
import type { Params } from '../../src/core/operations.js';
import { lockedBy } from './judge-and-commit.js';
import { readlink } from '../disk/calls.js';
import { Directory } from '../disk/paths/anchor.js';
import { entryAt, find } from '../disk/paths/find.js';
import { missingAt } from '../disk/paths/meant.js';
import { endsAsDirectory, isADirectory, notAFile, rootRefused } from '../disk/paths/path-errors.js';
import type { Root } from '../disk/paths/root.js';
import { assertMayChange } from '../disk/paths/scope.js';
import { assertLinkInside, walk, type Spot } from '../disk/paths/walk.js';
import { isSystemError } from '../disk/system-error.js';
import { readVersion, type Version } from '../disk/write/version.js';
import type { Context } from '../handler.js';
import { release } from '../text/scattered-text.js';
import { hashOf } from '../text/text-file.js';
import { assertExpected, expectingAt, hasChanged, isExpecting, isGone } from '../commit/has-changed.js';
import { named, orClose, type Case, type Judged } from './judged-change.js';
import { openFileAt } from '../commit/text-at-path.js';

const otherwise = 'Nothing was deleted. View the file again; to delete it anyway, send its current hash.';

const directoryThere = 'A directory is there, which has no hash: send none to delete it if it is empty.';
const linkThere =
  'A link to a directory is there, which has no hash: send none to delete the link itself; the directory and its contents stay.';

/**
 * Judge the removal of a file or link; of a directory only as the single change of an operation.
 * @throws OperationError not_found; changed, if a version is expected; is_directory; those of a path
 */
export function judgeRemoval(given: Params['delete'], which: Case): Judged {
  const { path } = given;
  try {
    const spot = walk(which.context.workspace.root, path);
    if (spot === 'root') throw rootRefused(path, 'deleted');
    return orClose(spot, () => judgeRemovalAt(spot, given, which));
  } catch (error) {
    throw asExpected(given, which.context, error);
  }
}

function judgeRemovalAt(spot: Spot, given: Params['delete'], { number, context, claim }: Case): Judged {
  const { path } = given;
  const { root } = context.workspace;
  const isAlone = number === undefined;
  claim(named(root, spot, 'path'));
  const seen = lookAt(root, spot);
  if (seen.isDirectory() && !isAlone) throw isADirectory(path);
  const directories = [spot.parent.anchor.base];
  const version = expectedVersion(given, context, seen) ?? (isAlone ? undefined : smallFile(root, path, seen));
  const old = seen.isSymbolicLink() ? Buffer.from(readlink(spot.parent.anchor.path(spot.name))) : version?.bytes;
  return {
    path,
    locked: lockedBy(spot),
    directories,
    bytes: version?.bytes.length ?? 0,
    changes: [{ number, name: path, directories, kind: 'remove', spot, seen, version }],
    diff: { oldPath: spot.relative, newPath: undefined, mode: Number(seen.mode), old },
    tookCrlf: false,
    told: () => ({ path, kind: 'deleted' }),
    close() {
      if (version !== undefined) {
        release(version.bytes);
        version.file.closeLater();
      }
      spot.parent.close();
    },
  };
}

/** Larger files are deleted unread, and their text is not shown. */
const mostShown = 1_048_576;

/** The file, read for the diff. Undefined also if it is unreadable, which does not prevent its deletion. */
function smallFile(root: Root, path: string, seen: BigIntStats): Version | undefined {
  if (!seen.isFile() || seen.size > BigInt(mostShown)) return undefined;
  try {
    const file = openFileAt(root, path);
    return orClose(file, () => readVersion(file, path, mostShown));
  } catch (error) {
    if (error instanceof OperationError || isSystemError(error)) return undefined;
    throw error;
  }
}

/** Stats of the entry to delete. @throws OperationError if it may not be deleted */
function lookAt(root: Root, spot: Spot): BigIntStats {
  const seen = entryAt(spot);
  if (seen === undefined) throw missingAt(root, spot, 'any');
  assertMayChange(root, spot, seen.isDirectory());
  if (seen.isSymbolicLink()) assertLinkInside(root, spot);
  else if (!seen.isDirectory() && !seen.isFile()) throw notAFile(spot.path);
  if (spot.directory && !seen.isDirectory()) throw endsAsDirectory(spot.path);
  return seen;
}

/**
 * If the caller expects a version, report that it is gone (412), whether the file, its directory or a link's target is
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

/**
 * Read the file and check that it is the expected version; the caller must close it.
 * @returns undefined if any version will do
 * @throws OperationError changed, if it is not the expected one
 */
function expectedVersion(
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
