import type { Place } from './open-file.js';
import type { Anchor, Root } from './root.js';
import { errnoOf } from './system-error.js';

/** A place whose directory is held open. */
export interface HeldPlace {
  readonly place: Place;
  close(): void;
}

/** It is no longer a directory, or lies behind one that may not be entered. */
const otherNow = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENAMETOOLONG', 'EINVAL', 'EACCES', 'EPERM'];

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
  return {
    place: { relative, path: directory.path(leaf), directory: directory.base },
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
    for (const name of names) at = at.leaveFor(name);
    return at;
  } catch (error) {
    at.close();
    // Whatever it was when realpath looked, it is something else now.
    if (otherNow.includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}
