import { isSameFile } from '../../../src/core/file-identity.js';
import { reservedName } from '../../../src/core/names/reserved-name.js';
import { lstat, readlink, realpath } from '../calls.js';
import type { Place } from './open-file.js';
import { placeIn, type Anchor } from './anchor.js';
import type { Root } from './root.js';
import { errnoOf, isDenied, isShortage, isVanished, orUndefined } from '../system-error.js';
import { platform } from '../../../src/core/platform.js';
import { pathBelow } from './system-path.js';

/** A place whose directory is held open. */
export interface HeldPlace {
  readonly place: Place;
  close(): void;
}

/**
 * The place of a real path below the working directory, with its directory held open; no link on the way is followed.
 * @param relative not empty
 * @returns null if a component changed since the path was resolved
 * @throws any system error that says nothing about the path
 */
export function openParent(root: Root, relative: string): HeldPlace | null {
  const components = relative.split('/');
  const leaf = components.pop() ?? '';
  const directory = openReal(root, components);
  if (directory === null) return null;
  if (isReservedAlias(directory, leaf)) {
    directory.close();
    return null;
  }
  return {
    place: placeIn(directory, components.join('/'), leaf),
    close: () => {
      directory.close();
    },
  };
}

/**
 * The directory reached from the working directory by real names; to be closed.
 * @returns null if a component changed since the names were found
 * @throws any system error that says nothing about the names
 */
export function openReal(root: Pick<Root, 'anchor'>, names: readonly string[]): Anchor | null {
  let at = root.anchor;
  at.hold();
  try {
    for (const name of names) {
      if (isReservedAlias(at, name)) {
        at.close();
        return null;
      }
      at = at.leaveFor(name);
    }
    return at;
  } catch (error) {
    at.close();
    // It has changed since realpath saw it.
    const errno = errnoOf(error);
    if (isVanished(errno) || isDenied(errno)) return null;
    throw error;
  }
}

/**
 * Whether a name is an alias of the reserved directory: FAT and NTFS give long names a short one, such as `FILE-E~1`,
 * and only its identity reveals it.
 */
export function isReservedAlias(directory: Anchor, name: string): boolean {
  if (!name.includes('~')) return false;
  const reserved = lstat(directory.path(reservedName));
  return reserved !== undefined && isSameFile(lstat(directory.path(name)), reserved);
}

/**
 * Whether a directory held open below the root is still where it was found: if it was moved out, writes into it would
 * leave the root.
 *
 * Without /proc the walk goes by names, so a directory could also have been swapped for a link: its path must still be
 * a real one. This promise is weaker than on Linux, and documented.
 * @param relative its real path
 * @param base prefix of the paths below it
 * @throws any system error that says nothing about it
 */
export function isDirectoryInPlace(root: Root, relative: string, base: string): boolean {
  if (relative === '') return true;
  const expected = root.absolute(relative);
  if (!platform.hasAnchoredPaths) return realPathOf(expected) === expected;
  if (orUndefined(() => readlink(base)) === expected) return true;
  // Its path is too long, or spelled differently where case does not matter.
  const there = openReal(root, relative.split('/'));
  if (there === null) return false;
  try {
    return isSameFile(there.stats, lstat(pathBelow(base, '.')));
  } finally {
    there.close();
  }
}

/** Undefined if the system does not say. @throws the system error on a shortage of descriptors or memory */
export function realPathOf(path: string): string | undefined {
  try {
    return realpath(path);
  } catch (error) {
    if (errnoOf(error) === undefined || isShortage(errnoOf(error))) throw error;
    return undefined;
  }
}
