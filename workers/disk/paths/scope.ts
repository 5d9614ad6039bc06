/**
 * Decides which paths of the working directory a caller may use (spec 16 and 17): those that both the server and the
 * token allow. Every path is judged twice: as the caller wrote it, before the disk is touched, so that a refusal does
 * not reveal what exists; and with all links resolved.
 */
import { OperationError } from '../../../src/core/errors.js';
import type { Scope } from '../../../src/core/globs/scope.js';
import { plainNames } from '../../../src/core/names/path.js';
import { lstat } from '../calls.js';
import type { Root } from './root.js';
import type { Spot } from './walk.js';

/**
 * How a call uses a path. A `directory` is used as far as its contents are allowed; a `whole directory` is changed with
 * all its contents. `nothing` asks whether the caller may learn that nothing is there.
 */
export type Use = 'file' | 'directory' | 'whole directory' | 'anything' | 'nothing';

/** Whether a path may be used by callers of this view of the root. @param relative below the root; '' is the root */
export function isInScope({ scope }: Pick<Root, 'scope'>, relative: string, use: Use): boolean {
  return scope === undefined || isAllowed(scope, namesOf(relative), use);
}

/** The test for the names of files in a directory. @param relative the directory's path below the root */
export function filesInScope({ scope }: Pick<Root, 'scope'>, relative: string): (name: string) => boolean {
  return scope === undefined ? () => true : scope.namesIn(namesOf(relative));
}

/** Whether a path as the caller wrote it may be used; its `..` are resolved by name. */
export function isNamedInScope({ scope }: Pick<Root, 'scope'>, path: string, use: Use): boolean {
  return scope === undefined || isAllowed(scope, plainNames(path), use);
}

/**
 * Judge a path both as written and as resolved.
 * @param path as the caller wrote it
 * @param relative below the root, with links resolved
 * @throws OperationError not_allowed
 */
export function assertUsable(root: Pick<Root, 'scope'>, path: string, relative: string, use: Use): void {
  if (!isNamedInScope(root, path, use)) throw outOfScope(root, path);
  assertInScope(root, path, relative, use);
}

/**
 * @param path as the caller wrote it
 * @param relative below the root, with links resolved
 * @throws OperationError not_allowed
 */
export function assertInScope(root: Pick<Root, 'scope'>, path: string, relative: string, use: Use): void {
  if (!isInScope(root, relative, use)) throw outOfScope(root, path);
}

/**
 * Look up a path. A caller that must not learn that it is missing must not learn what is in the way either.
 * @param path as the caller wrote it
 * @throws OperationError not_allowed instead of any other; anything else unchanged
 */
export function withoutTelling<Result>(root: Pick<Root, 'scope'>, path: string, look: () => Result): Result {
  try {
    return look();
  } catch (error) {
    const isTold = !(error instanceof OperationError) || isNamedInScope(root, path, 'nothing');
    throw isTold ? error : outOfScope(root, path);
  }
}

/**
 * Call before a change at a spot, and before the answer reveals what is there.
 * @param isDirectory whether a directory is changed, with all that is in it
 * @throws OperationError not_allowed
 */
export function assertMayChange(root: Pick<Root, 'scope'>, spot: Spot, isDirectory: boolean): void {
  assertUsable(root, spot.path, spot.relative, isDirectory ? 'whole directory' : 'file');
  if (root.scope !== undefined && hasHiddenInTheWay(root, spot)) throw outOfScope(root, spot.path);
}

/** Whether a directory counts as missing only because the caller may not see the entry that has its name. */
function hasHiddenInTheWay(root: Pick<Root, 'scope'>, { parent, missing: [name] }: Spot): boolean {
  if (name === undefined || isInScope(root, parent.relativeOf(name), 'nothing')) return false;
  const there = lstat(parent.place(name).path);
  return there !== undefined && !there.isDirectory();
}

/** The refusal of a path that is not allowed. */
export function outOfScope({ scope }: Pick<Root, 'scope'>, path: string): OperationError {
  return new OperationError('not_allowed', `Permission denied: ${path}`, {
    ...toldBy(scope),
    data: { path },
  });
}

/** The same for a flat name. */
export function nameOutOfScope({ scope }: Pick<Root, 'scope'>, name: string): OperationError {
  return new OperationError('not_allowed', `Permission denied accessing '${name}'`, {
    ...toldBy(scope),
  });
}

function toldBy(scope: Scope | undefined): { readonly details?: string } {
  return scope === undefined ? {} : { details: scope.told };
}

function isAllowed(scope: Scope, names: readonly string[], use: Use): boolean {
  switch (use) {
    case 'file':
      return scope.holds(names);
    case 'directory':
      return scope.reaches(names);
    case 'whole directory':
      return scope.covers(names);
    case 'nothing':
      return scope.holds(names) || scope.covers(names);
    case 'anything':
      return scope.holds(names) || scope.reaches(names);
  }
}

function namesOf(relative: string): readonly string[] {
  return relative === '' ? [] : relative.split('/');
}
