/** Judges the move of an entry (spec 11 and 14). Nothing is written. */
import type { BigIntStats } from 'node:fs';
import { lockedBy } from './judge-and-commit.js';
import { entryAt } from '../disk/paths/find.js';
import { missingAt } from '../disk/paths/meant.js';
import type { Place } from '../disk/paths/open-file.js';
import {
  endsAsDirectory,
  isADirectory,
  notAFile,
  insideItself,
  namesDirectory,
  pathExists,
  rootRefused,
} from '../disk/paths/path-errors.js';
import type { Root } from '../disk/paths/root.js';
import { assertMayChange } from '../disk/paths/scope.js';
import { isRespelling } from '../disk/paths/spelling.js';
import { assertLinkInside, walk, type Spot } from '../disk/paths/walk.js';
import { readVersion } from '../disk/write/version.js';
import { hashOf } from '../text/text-file.js';
import { named, orClose, type Case, type Judged } from './judged-change.js';
import { openFileAt } from '../commit/text-at-path.js';

/** A move, as given. */
interface Given {
  readonly path: string;
  readonly rename_to: string;
}

/**
 * Judge the move of a file or link; of a directory only as the single change of an operation.
 * @throws OperationError not_found, file_exists, is_directory, invalid_params; those of a path
 */
export function judgeMove(given: Given, { number, returnHash, context, claim }: Case): Judged {
  const { path, rename_to } = given;
  const { root, setup } = context.workspace;
  const from = walk(root, path);
  return orClose(from, () => {
    if (from === 'root') throw rootRefused(path, 'moved');
    claim(named(root, from, 'path'));
    const walked = walk(root, rename_to);
    return orClose(walked, () => {
      if (walked === 'root') throw rootRefused(rename_to, 'replaced');
      const to = respelled(from, walked);
      // A move onto itself gets its own error, and two spellings are one name.
      if (to === walked && to.relative !== from.relative) claim(named(root, to, 'rename_to', true));
      const seen = assertMovable(root, from, to, number === undefined);
      const directories = [from.parent.anchor.base, to.parent.anchor.base];
      const hash = returnHash ? hashOfFile(root, path, seen, setup.maxBytes) : undefined;
      return {
        path,
        locked: [from.relative, ...lockedBy(to)],
        directories,
        bytes: 0,
        changes: [{ number, name: path, directories, kind: 'move', from, to, seen }],
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

/** Undefined for a link, and for a file too large to read. */
function hashOfFile(root: Root, path: string, seen: BigIntStats, maxBytes: number): string | undefined {
  if (!seen.isFile() || seen.size > BigInt(maxBytes)) return undefined;
  const file = openFileAt(root, path);
  try {
    return hashOf(readVersion(file, path, maxBytes).bytes);
  } finally {
    file.close();
  }
}

/**
 * @param isAlone whether it is the only change: then a directory may be moved
 * @returns stats of the entry to move
 */
function assertMovable(root: Root, from: Spot, to: Spot, isAlone: boolean): BigIntStats {
  const what = entryAt(from);
  if (what === undefined) throw missingAt(root, from, 'any');
  for (const spot of [from, to]) assertMayChange(root, spot, what.isDirectory());
  if (what.isDirectory() && !isAlone) throw isADirectory(from.path);
  const member = isAlone ? 'new_path' : 'rename_to';
  if (what.isSymbolicLink()) assertLinkInside(root, from);
  else if (!what.isDirectory() && !what.isFile()) throw notAFile(from.path);
  if (from.directory && !what.isDirectory()) throw endsAsDirectory(from.path);
  if (what.isDirectory() && to.relative.startsWith(`${from.relative}/`)) throw insideItself(to.path);
  const there = entryAt(to);
  if (there !== undefined && !isRespelling(placeOf(from), placeOf(to)))
    throw pathExists(to.path, to.relative === from.relative ? 'itself' : there, member);
  if (to.directory && !what.isDirectory()) throw namesDirectory(member, to.path);
  return what;
}

/**
 * The target of a rename. If the file system treats the new name as another spelling of the old one, the walk has led
 * to the old one.
 */
function respelled(from: Spot, to: Spot): Spot {
  const place = to.parent.place(to.given);
  const isMeant = to.missing.length === 0 && isRespelling(placeOf(from), place);
  return isMeant ? { ...to, name: to.given, relative: place.relative } : to;
}

function placeOf({ parent, name }: Spot): Place {
  return parent.place(name);
}
