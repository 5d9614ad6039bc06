import { constants } from 'node:fs';
import { OperationError } from '../../../src/core/errors.js';
import { followLink, pathWords } from './behind-link.js';
import { lstat } from '../calls.js';
import { Directory } from './anchor.js';
import { isDirectoryInPlace, isReservedAlias } from './parent.js';
import { changedMeanwhile, notADirectory, pathDenied, pathEscapes, pathReserved } from './path-errors.js';
import type { Root } from './root.js';
import { assertInScope, isInScope } from './scope.js';
import { errnoOf, isDenied, isShortage } from '../system-error.js';
import { platform } from '../../../src/core/platform.js';
import { nameHeld } from './spelling.js';

/** A path that changes during every attempt is hostile or hopeless: refused after this many. */
export const mostLooks = 4;

/**
 * Open the subdirectory of this name, following a link that stays inside.
 * @returns null if nothing is there
 * @throws OperationError path_security, not_found (a dangling link), not_a_directory, permission_denied
 */
export function descend(root: Root, from: Directory, name: string, path: string): Directory | null {
  assertNotReserved(from, name, path);
  assertInScope(root, path, from.relativeOf(name), 'directory');
  for (let look = 0; look < mostLooks; look++) {
    const held = nameHeld(root, from, name, path);
    const relative = from.relativeOf(held);
    if (held !== name) assertInScope(root, path, relative, 'directory');
    const opened = tryDirectory(root, from.anchor.path(held), relative, path);
    if (opened !== 'link') return assertInside(root, opened, path);
    const behind = followToDirectory(root, relative, path);
    if (behind !== null) return assertInside(root, behind, path);
  }
  throw keepsChanging(path);
}

/**
 * Open the subdirectory of this name for a search: never through a link; one that cannot be opened does not end the
 * search.
 * @param onUnreadable called if a directory is there, but cannot be opened
 * @returns null if there is no directory that this process may enter
 * @throws the system error of a shortage
 */
export function enter(
  root: Root,
  from: Directory,
  name: string,
  onUnreadable: () => void = () => undefined,
): Directory | null {
  try {
    assertNotReserved(from, name, name);
    const opened = tryDirectory(root, from.anchor.path(name), from.relativeOf(name), name);
    return opened === 'link' ? null : assertInside(root, opened, name);
  } catch (error) {
    const errno = errnoOf(error);
    if (!(error instanceof OperationError) && (errno === undefined || isShortage(errno))) throw error;
    if (errno !== undefined || (error instanceof OperationError && error.kind === 'permission_denied')) onUnreadable();
    return null;
  }
}

/** @throws OperationError path_security if the name is an alias of the reserved directory */
export function assertNotReserved({ anchor }: Directory, name: string, path: string): void {
  if (isReservedAlias(anchor, name)) throw pathReserved(path, 'The path contains an alias of it. ');
}

function tryDirectory(root: Root, at: string, relative: string, path: string): Directory | 'link' | null {
  try {
    // Without the flags for it (Windows), open follows a link and takes a file.
    const opensAnything = constants.O_DIRECTORY === undefined;
    if (opensAnything && lstat(at)?.isDirectory() === false) return somethingElse(root, at, relative, path);
    return Directory.open(at, relative);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT') return null;
    if (isDenied(errno)) throw pathDenied(path, errno);
    if (errno !== 'ELOOP' && errno !== 'ENOTDIR' && errno !== 'EMLINK') throw error;
    return somethingElse(root, at, relative, path);
  }
}

/** The entry was not a directory when it was opened. @throws OperationError not_a_directory */
function somethingElse(root: Root, at: string, relative: string, path: string): 'link' | null {
  const seen = lstat(at);
  if (seen === undefined) return null;
  // It has become a directory: the next attempt opens it, as it resolves a link.
  if (seen.isSymbolicLink() || seen.isDirectory()) return 'link';
  // A file that the caller may not see is in the way: reported like a missing directory.
  if (!isInScope(root, relative, 'nothing')) return null;
  throw notADirectory(path);
}

/** @returns null if something on the way changed during the walk */
function followToDirectory(root: Root, link: string, path: string): Directory | null {
  const target = followLink(root, link, path, pathWords);
  if (target === null) return null;
  if (target === 'root') return Directory.root(root);
  try {
    const { relative, path: at } = target.place;
    assertInScope(root, path, relative, 'directory');
    const opened = tryDirectory(root, at, relative, path);
    return opened === 'link' ? null : opened;
  } finally {
    target.close();
  }
}

/** For a path with a link that is swapped as fast as it is resolved. */
export function keepsChanging(path: string): OperationError {
  return pathEscapes(path, 'A symbolic link on this path keeps changing. Use another path.');
}

function assertInside(root: Root, opened: Directory | null, path: string): Directory | null {
  try {
    // On Linux, a directory opened step by step is inside.
    if (opened !== null && !platform.hasAnchoredPaths) assertStillInside(root, opened, path);
    return opened;
  } catch (error) {
    opened?.close();
    throw error;
  }
}

/**
 * Call right before changing anything in a directory that is held open: it may have been moved out.
 * @throws OperationError modified_concurrently; path_security where there is no /proc
 */
export function assertStillInside(root: Root, { relative, anchor }: Directory, path: string): void {
  if (!isDirectoryInPlace(root, relative, anchor.base)) throw changedMeanwhile(path);
  if (platform.hasAnchoredPaths || relative === '') return;
  if (!anchor.isAt(root.absolute(relative))) throw keepsChanging(path);
}
