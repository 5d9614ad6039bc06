/** Judges the removal or move of a file or link as delete and rename would (spec 11 and 14). Nothing is written. */
import type { BigIntStats } from 'node:fs';
import { OperationError } from '../../src/core/errors.js';
import { lockedBy } from '../commit/locked-path.js';
import { readlink } from '../disk/calls.js';
import { entryAt } from '../disk/paths/find.js';
import { foundDirectory, pathExists, rootRefused } from '../disk/paths/path-errors.js';
import type { Root } from '../disk/paths/root.js';
import { walk } from '../disk/paths/walk.js';
import { isSystemError } from '../disk/system-error.js';
import { readVersion, type Version } from '../disk/write/version.js';
import { asExpected, expectedVersion, lookAt } from './delete.js';
import { assertMayMove, assertMovable, respelled } from './rename.js';
import { openFileAt } from './text-at-path.js';
import { release } from '../text/scattered-text.js';
import { hashOf } from '../text/text-file.js';
import { named, orClose, type Case, type Given, type Judged, type With } from './judged.js';

/** Judge a change by `delete`. @throws as delete, and is_directory */
export function judgeRemoval(given: Given, { number, context, claim }: Case): Judged {
  const { path } = given;
  const { root } = context.workspace;
  const spot = walk(root, path);
  return orClose(spot, () => {
    if (spot !== 'root') claim(named(spot, 'path'));
    let seen: BigIntStats;
    try {
      seen = lookAt(given, context, spot);
      if (spot === 'root' || seen.isDirectory()) throw foundDirectory(path);
    } catch (error) {
      throw asExpected(given, context, error);
    }
    const directories = [spot.parent.anchor.base];
    const version = expectedVersion(given, context, seen) ?? smallFile(root, path, seen);
    const old = seen.isSymbolicLink() ? Buffer.from(readlink(spot.parent.anchor.path(spot.name))) : version?.bytes;
    return {
      path,
      locked: lockedBy(spot),
      directories,
      bytes: version?.bytes.length ?? 0,
      change: { number, name: path, directories, kind: 'remove', spot, seen, version },
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
  });
}

/** Larger ones are deleted unread, and not shown. */
const mostShown = 1_048_576;

/** A file that is read for the diff. Undefined also if this process may not read it: it may be deleted in any case. */
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

/** Judge a change by `rename_to`. @throws as rename, and is_directory */
export function judgeMove(given: With<'rename_to'>, { number, returnHash, context, claim }: Case): Judged {
  const { path, rename_to } = given;
  const { root, setup } = context.workspace;
  const from = walk(root, path);
  return orClose(from, () => {
    if (from === 'root') throw rootRefused(path, 'moved');
    claim(named(from, 'path'));
    const walked = walk(root, rename_to);
    return orClose(walked, () => {
      if (walked === 'root') throw rootRefused(rename_to, 'replaced');
      const to = respelled(from, walked);
      // What is moved onto itself is told so, and two spellings are one name.
      if (to === walked && to.relative !== from.relative) claim(named(to, 'rename_to', true));
      const there = entryAt(from);
      if (there !== undefined) assertMayMove(root, from, to, there.isDirectory());
      if (there?.isDirectory() === true) throw foundDirectory(path);
      if (there !== undefined && to.relative === from.relative) throw pathExists(rename_to, 'itself', 'rename_to');
      const seen = assertMovable(root, from, to, 'rename_to');
      const directories = [from.parent.anchor.base, to.parent.anchor.base];
      const hash = returnHash ? hashOfFile(root, path, seen, setup.maxBytes) : undefined;
      return {
        path,
        locked: [from.relative, ...lockedBy(to)],
        directories,
        bytes: 0,
        change: { number, name: path, directories, kind: 'move', from, to, seen },
        diff: { oldPath: from.relative, newPath: to.relative, mode: Number(seen.mode) },
        tookCrlf: false,
        told: () => ({ path, kind: 'renamed', new_path: rename_to, ...(hash === undefined ? {} : { hash }) }),
        close() {
          from.parent.close();
          to.parent.close();
        },
      };
    });
  });
}

/** Undefined for a link, and for a file that is too large to be read. */
function hashOfFile(root: Root, path: string, seen: BigIntStats, maxBytes: number): string | undefined {
  if (!seen.isFile() || seen.size > BigInt(maxBytes)) return undefined;
  const file = openFileAt(root, path);
  try {
    return hashOf(readVersion(file, path, maxBytes).bytes);
  } finally {
    file.close();
  }
}
