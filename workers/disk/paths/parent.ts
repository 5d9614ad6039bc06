import { isSameFile } from '../../../src/core/file-identity.js';
import { reservedName } from '../../../src/core/names/reserved-name.js';
import { lstat, readlink, realpath } from '../calls.js';
import type { Place } from './open-file.js';
import { placeIn, type Anchor } from './anchor.js';
import type { Root } from './root.js';
import { errnoOf, isDenied, isShortage, isVanished, orUndefined } from '../system-error.js';

/** A place whose directory is held open. */
export interface HeldPlace {
  readonly place: Place;
  close(): void;
}

/**
 * The place of a real path below the working directory, with its directory held open; no link on the way is followed.
 * @param relative not empty
 * @returns null if something on the way is no longer what it was when the path was resolved
 * @throws any system error that tells nothing about the path
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
 * The directory to which real names lead from the working directory; to be closed.
 * @returns null if something on the way is no longer what it was when the names were found
 * @throws any system error that tells nothing about the names
 */
export function openReal(root: Root, names: readonly string[]): Anchor | null {
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
    // Whatever it was when realpath looked, it is something else now.
    const errno = errnoOf(error);
    if (isVanished(errno) || isDenied(errno)) return null;
    throw error;
  }
}

/**
 * Whether a name is a second one of the reserved directory: FAT and NTFS give long names a short one, as `FILE-E~1`,
 * and nothing but its identity tells what that is.
 */
export function isReservedAlias(directory: Anchor, name: string): boolean {
  if (!name.includes('~')) return false;
  const reserved = lstat(directory.path(reservedName));
  return reserved !== undefined && isSameFile(lstat(directory.path(name)), reserved);
}

/**
 * Whether a directory that is held open below the root is still where it was found: moved out, it would take what is
 * written into it along.
 *
 * Without /proc the walk goes by names, so a directory could have been swapped for a link as well: then its path must
 * still be a real one. A weaker promise than on Linux, and documented as such.
 * @param relative its real path
 * @param base what paths below it start with
 * @throws any system error that tells nothing about it
 */
export function isDirectoryInPlace(root: Root, relative: string, base: string): boolean {
  if (relative === '') return true;
  const expected = root.absolute(relative);
  if (process.platform !== 'linux') return realPathOf(expected) === expected;
  if (orUndefined(() => readlink(base)) === expected) return true;
  // Its path is too long, or spelled otherwise where case does not matter.
  const there = openReal(root, relative.split('/'));
  if (there === null) return false;
  try {
    return isSameFile(there.stats, lstat(`${base}/.`));
  } finally {
    there.close();
  }
}

/** Undefined if the system does not say. @throws the system error for want of descriptors or memory */
export function realPathOf(path: string): string | undefined {
  try {
    return realpath(path);
  } catch (error) {
    if (errnoOf(error) === undefined || isShortage(errnoOf(error))) throw error;
    return undefined;
  }
}
