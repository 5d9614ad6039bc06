import { lstatSync, renameSync, type BigIntStats } from 'node:fs';
import { OperationError, type Notice } from '../../src/errors.js';
import type { WorkerSetup } from '../task.js';
import { scannerErrors } from './atomic-write.js';
import { claim, isClaimed, unclaim } from './claim.js';
import { assertStillInside } from './descend.js';
import { changeSynced } from './directory-sync.js';
import { Parents } from './parents.js';
import { changedMeanwhile, insideItself, pathExists } from './path-errors.js';
import type { Root } from './root.js';
import { errnoOf, isSystemError, retrying } from './system-error.js';
import type { Spot } from './walk.js';

interface Move {
  readonly from: Spot;
  readonly to: Spot;
  /** What is moved, as it was looked at under the locks. */
  readonly what: BigIntStats;
}

interface Terms {
  /** Of all locks that the move needs. */
  readonly isHeld: () => boolean;
  /** The last moment to refuse; throws if so. */
  readonly claim: () => void;
  readonly durability: WorkerSetup['durability'];
  readonly notices: Notice[];
}

/**
 * Rename without replacing anything, making the directories that the new path needs (contract 11).
 *
 * A killed process leaves the old path or the new one, and at most empty directories and a claim (claim.ts) beside the old.
 * @throws OperationError file_exists, invalid_params, not_durable; modified_concurrently if it is worth another look
 */
export function move(root: Root, { from, to, what }: Move, terms: Terms): void {
  const { durability, notices } = terms;
  const parents = new Parents(root, to);
  let moved = false;
  try {
    parents.make(durability === 'full', notices);
    const target = parents.last.place(to.name);
    const source = from.parent.place(from.name);
    const change = (): void => {
      assertStillInside(root, from.parent, from.path);
      assertStillInside(root, parents.last, to.path);
      terms.claim();
      if (what.isDirectory()) renameDirectory(source.path, target.path, what, terms);
      else renameClaimed(source.path, target.path, what, terms);
      moved = true;
    };
    if (durability === 'full') changeSynced(root, [source.directory, target.directory], notices, change);
    else change();
  } catch (error) {
    throw explain(error, from.path, to.path);
  } finally {
    if (!moved) parents.remove(notices);
    parents.close();
  }
}

/** Files and links, which rename(2) would put in the place of any other. */
function renameClaimed(from: string, to: string, what: BigIntStats, { isHeld }: Terms): void {
  // Under the lock of the path, a claim is one that a killed process has left.
  unclaim(to);
  if (!claim(to)) throw new TargetExists();
  try {
    retrying(() => {
      if (!isHeld() || !isStill(from, what) || !isClaimed(to)) throw new SourceChanged();
      renameSync(from, to);
    }, scannerErrors);
  } catch (error) {
    unclaim(to);
    throw error;
  }
}

/** What rename(2) puts a directory in the place of is an empty one at most. */
function renameDirectory(from: string, to: string, what: BigIntStats, { isHeld }: Terms): void {
  unclaim(to);
  retrying(() => {
    if (!isHeld() || !isStill(from, what)) throw new SourceChanged();
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) throw new TargetExists();
    renameSync(from, to);
  }, scannerErrors);
}

class TargetExists extends Error {}
class SourceChanged extends Error {}

function isStill(path: string, { ino, dev }: BigIntStats): boolean {
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return now !== undefined && now.ino === ino && now.dev === dev;
}

function explain(error: unknown, from: string, to: string): unknown {
  if (error instanceof TargetExists) return pathExists(to);
  if (error instanceof SourceChanged) return changedMeanwhile(from);
  switch (errnoOf(error)) {
    case 'EEXIST':
    case 'ENOTEMPTY':
    case 'ENOTDIR':
    case 'EISDIR':
      return pathExists(to);
    case 'ENOENT':
      return changedMeanwhile(from);
    case 'EINVAL':
      return insideItself(to);
    case 'EXDEV':
      return new OperationError('write_failed', `Failed to rename: '${to}' is on another file system than '${from}'`, {
        details: 'Nothing was changed. Create the file at its new path and delete the old one instead.',
        data: { errno: 'EXDEV', path: to },
        cause: isSystemError(error) ? (error.stack ?? '') : '',
      });
    default:
      return error;
  }
}
