import type { BigIntStats } from 'node:fs';
import { lstat } from '../calls.js';
import { stayedInside } from './confine.js';
import { tryOpen, type OpenFile, type Place } from './open-file.js';
import { followLink, pathWords } from './behind-link.js';
import { keepsChanging, mostLooks } from './descend.js';
import { Directory } from './anchor.js';
import type { Wanted } from './meant.js';
import { missingAt } from './meant.js';
import { endsAsDirectory, notAFile, pathDenied } from './path-errors.js';
import { isPlaceholder } from './placeholder.js';
import type { Root } from './root.js';
import { assertUsable, withoutTelling, type Use } from './scope.js';
import { errnoOf, isDenied } from '../system-error.js';
import { walk, type Spot } from './walk.js';

/**
 * Open the file or directory that a path names, following links that stay inside (spec 11).
 * @param path one that checkPath (src/core/names/path.ts) accepts
 * @param wanted what the call can use: decides which names are offered if nothing is there
 * @returns a handle that must be closed
 * @throws OperationError path_security, not_found, not_a_directory, permission_denied, not_a_regular_file
 */
export function find(root: Root, path: string, wanted: Wanted): OpenFile | Directory {
  const spot = walk(root, path);
  return spot === 'root' ? Directory.root(root) : withoutTelling(root, path, () => findAt(root, spot, wanted));
}

/** @param spot its directory is closed, or belongs to what is returned */
function findAt(root: Root, spot: Spot, wanted: Wanted): OpenFile | Directory {
  let found: OpenFile | Directory | 'changed' | null = 'changed';
  try {
    if (spot.missing.length > 0) found = null;
    for (let look = 0; found === 'changed' && look < mostLooks; look++) found = lookAt(root, spot, wanted);
    if (found === null) throw missingAt(root, spot, wanted);
  } finally {
    // A file keeps its directory open.
    if (found === null || found === 'changed' || found instanceof Directory) spot.parent.close();
  }
  if (found === 'changed') throw keepsChanging(spot.path);
  return found;
}

/**
 * Stats of a spot, without following a final link; undefined if nothing is there. @throws OperationError
 * permission_denied
 */
export function entryAt({ parent, missing, name, path }: Spot): BigIntStats | undefined {
  if (missing.length > 0) return undefined;
  const place = parent.place(name);
  const seen = statAt(place, path);
  return seen?.isSymbolicLink() === true && isPlaceholder(place.path) ? undefined : seen;
}

/** Stats of a place, no link followed. @throws OperationError permission_denied */
function statAt({ path: at }: Place, path: string): BigIntStats | undefined {
  try {
    return lstat(at);
  } catch (error) {
    const errno = errnoOf(error);
    if (isDenied(errno)) throw pathDenied(path, errno);
    throw error;
  }
}

interface WantedSpot extends Spot {
  readonly wanted: Wanted;
}

/** A call that wants a file learns only of directories that the caller may see completely. */
function directoryUse(wanted: Wanted): Use {
  return wanted === 'file' ? 'whole directory' : 'directory';
}

function lookAt(root: Root, spot: Spot, wanted: Wanted): OpenFile | Directory | 'changed' | null {
  const { parent, name, path } = spot;
  const place = parent.place(name);
  const seen = statAt(place, path);
  if (seen === undefined) return null;
  if (!seen.isSymbolicLink()) return open(root, { ...spot, wanted }, place, seen, parent);
  return isPlaceholder(place.path) ? null : lookBehind(root, { ...spot, wanted }, place.relative);
}

function lookBehind(root: Root, spot: WantedSpot, link: string): OpenFile | Directory | 'changed' {
  const target = followLink(root, link, spot.path, pathWords);
  if (target === 'root') return Directory.root(root);
  if (target === null) return 'changed';
  let found: OpenFile | Directory | 'changed' = 'changed';
  try {
    const seen = statAt(target.place, spot.path);
    if (seen === undefined || seen.isSymbolicLink()) return found;
    found = open(root, spot, target.place, seen, {
      close: () => {
        target.close();
        spot.parent.close();
      },
    });
    return found;
  } finally {
    if (found === 'changed' || found instanceof Directory) target.close();
  }
}

/** @param parent closed together with a file */
function open(
  root: Root,
  spot: WantedSpot,
  place: Place,
  seen: BigIntStats,
  parent: { close(): void },
): OpenFile | Directory | 'changed' {
  const use = seen.isDirectory() ? directoryUse(spot.wanted) : 'file';
  assertUsable(root, spot.path, place.relative, use);
  if (seen.isDirectory()) return openDirectory(place, spot.path);
  if (spot.directory) throw endsAsDirectory(spot.path);
  if (!seen.isFile()) throw notAFile(spot.path);
  const file = tryOpen(place, spot.path, parent, seen);
  if (file === null || file === 'link') return 'changed';
  return stayedInside(root, file) ? file : 'changed';
}

function openDirectory({ path: at, relative }: Place, path: string): Directory | 'changed' {
  try {
    return Directory.open(at, relative);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR' || errno === 'ELOOP') return 'changed';
    if (isDenied(errno)) throw pathDenied(path, errno);
    throw error;
  }
}
