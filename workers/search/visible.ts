/** Which names in a directory a restricted caller may see (spec 16). */
import { OperationError } from '../../src/core/errors.js';
import { Glob } from '../../src/core/globs/glob.js';
import { Directory } from '../disk/paths/anchor.js';
import { enter } from '../disk/paths/descend.js';
import { find } from '../disk/paths/find.js';
import { statsBehind } from '../disk/paths/link.js';
import { decodedName, type RawName } from '../disk/paths/names.js';
import type { Root } from '../disk/paths/root.js';
import { filesInScope, isInScope, outOfScope } from '../disk/paths/scope.js';
import { errnoOf, isShortage, orUndefined } from '../disk/system-error.js';
import { Walk } from './walk.js';

const everything = { glob: Glob.of('**'), ignored: true } as const;

/** Work that pauses after each step: there may be many files before the first that is allowed. */
type Steps<Result> = Generator<undefined, Result>;

/**
 * The names of allowed files, and of directories that lead to one.
 * @param path of the directory, as the caller wrote it
 * @throws OperationError not_allowed if the caller may not see anything in it
 */
export function* visibleIn(root: Root, found: Directory, path: string, names: readonly RawName[]): Steps<RawName[]> {
  const visible: RawName[] = [];
  const isFileVisible = filesInScope(root, found.relative);
  for (const raw of names) {
    const name = decodedName(raw.key);
    if (name === undefined) continue;
    if (raw.regular ? isFileVisible(name) : yield* isVisible(root, found, name, raw)) visible.push(raw);
    yield;
  }
  if (visible.length === 0 && !isInScope(root, found.relative, 'whole directory')) throw outOfScope(root, path);
  return visible;
}

/**
 * For a search, which follows no links. @throws OperationError not_allowed if the caller may not see anything in
 * this directory
 */
export function* assertLeadsToFile(root: Root, found: Directory, path: string): Steps<void> {
  if (isInScope(root, found.relative, 'whole directory')) return;
  if (!(yield* leadsToFile(root, found))) throw outOfScope(root, path);
}

function* isVisible(root: Root, found: Directory, name: string, raw: RawName): Steps<boolean> {
  const relative = found.relativeOf(name);
  if (!raw.directory) return yield* isVisibleBehind(root, found, name);
  if (isInScope(root, relative, 'whole directory')) return true;
  return isInScope(root, relative, 'directory') && (yield* leadsThrough(root, enter(root, found, name)));
}

/** For a name that may be a link: a link to something that the caller may not use is not visible. */
function* isVisibleBehind(root: Root, found: Directory, name: string): Steps<boolean> {
  const relative = found.relativeOf(name);
  const seen = orUndefined(() => statsBehind(root, found, name));
  if (seen?.isDirectory() !== true) return seen !== undefined && isInScope(root, relative, 'file');
  return yield* leadsThrough(root, orUndefined(() => directoryBehind(root, relative)) ?? null);
}

/** @returns null if the caller may not use it. @throws the system error */
function directoryBehind(root: Root, link: string): Directory | null {
  try {
    const found = find(root, link, 'directory');
    if (found instanceof Directory) return found;
    found.close();
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
  }
  return null;
}

/** Whether this directory shows anything. It is closed. */
function* leadsThrough(root: Root, directory: Directory | null): Steps<boolean> {
  if (directory === null) return false;
  try {
    return isInScope(root, directory.relative, 'whole directory') || (yield* leadsToFile(root, directory));
  } finally {
    directory.close();
  }
}

/** Whether a file that the caller may use is in this directory or below it. @throws the system error of a shortage */
function* leadsToFile(root: Root, directory: Directory): Steps<boolean> {
  try {
    for (const file of new Walk(root, directory, everything).files()) {
      if (file !== undefined) return true;
      yield;
    }
    return false;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined || isShortage(errno)) throw error;
    return false;
  }
}
