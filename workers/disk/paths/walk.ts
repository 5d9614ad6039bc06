/**
 * Walks a path of several names (spec 11). Every directory is opened from the one before it, and the kernel follows no
 * link: realpath resolves a link, and its target is walked from the root in the same way. So a component swapped during
 * the walk cannot lead outside; it only ends the walk.
 */
import { parsePath, plainNames } from '../../../src/core/names/path.js';
import { pathWords, targetInside } from './behind-link.js';
import { assertNotReserved, descend } from './descend.js';
import { Directory } from './anchor.js';
import { resolveLink, statsBehind } from './link.js';
import { missingDirectory } from './meant.js';
import type { Root } from './root.js';
import { isInScope, isNamedInScope, outOfScope, withoutTelling } from './scope.js';
import { assertNameable, nameHeld } from './spelling.js';

/** The place a path leads to, up to its last name; whether that name exists has not been checked. */
export interface Spot {
  /** As the caller wrote it. */
  readonly path: string;
  /** The directory that holds the last name, or the deepest existing one on the way. */
  readonly parent: Directory;
  /** Directories between `parent` and the last name that do not exist. */
  readonly missing: readonly string[];
  /** The last name as its directory spells it, if it exists. */
  readonly name: string;
  /** The last name as the caller wrote it. */
  readonly given: string;
  /** The path can only mean a directory. */
  readonly directory: boolean;
  /** Path below the root with links on the way resolved: the identity for locks. */
  readonly relative: string;
}

/**
 * Walk to the place that a path names. The caller must close its `parent`.
 * @param path one that checkPath (src/core/names/path.ts) accepts
 * @returns 'root' if it names the working directory itself
 * @throws OperationError path_security, not_found, not_a_directory, permission_denied; the system error of a shortage
 */
export function walk(root: Root, path: string): Spot | 'root' {
  const { steps, directory } = stepsOf(root, path);
  if (!isNamedInScope(root, path, 'anything')) throw outOfScope(root, path);
  const spot = withoutTelling(root, path, () => walkSteps(root, { path, directory }, steps));
  if (spot === 'root' || isInScope(root, spot.relative, 'anything')) return spot;
  spot.parent.close();
  throw outOfScope(root, path);
}

/**
 * For a caller who may not use everything, `..` goes back by name. Otherwise a path could step into a directory that
 * the caller may not see and out again, and so reveal whether it exists.
 */
function stepsOf(root: Root, path: string): ReturnType<typeof parsePath> {
  const parsed = parsePath(path);
  return root.scope === undefined ? parsed : { ...parsed, steps: plainNames(path) };
}

function walkSteps(root: Root, wanted: Pick<Spot, 'path' | 'directory'>, steps: readonly string[]): Spot | 'root' {
  const { path } = wanted;
  const { last, returns } = planned(steps);
  // Directories that a later `..` returns to, or that hold the last name, stay open after the walk has passed them.
  const held: Directory[] = [];
  let at = Directory.root(root);
  try {
    for (const [index, step] of steps.entries()) {
      if (index === last && index === steps.length - 1) break;
      if (step === '..') {
        at.close();
        at = held.pop() ?? Directory.root(root);
        continue;
      }
      const next = descend(root, at, step, path);
      if (next === null) {
        const rest = steps.slice(index);
        if (rest.includes('..') || returns.has(index)) throw missingDirectory(root, at, step, path);
        assertNameable(rest, path);
        const name = rest.at(-1) ?? '';
        const missing = rest.slice(0, -1);
        return { ...wanted, parent: at, missing, name, given: name, relative: at.relativeOf(rest.join('/')) };
      }
      if (returns.has(index)) held.push(at);
      else at.close();
      at = next;
    }
    const given = steps[last];
    if (given === undefined) return closed('root', at);
    if (last < steps.length - 1) {
      at.close();
      at = held.pop() ?? Directory.root(root);
    }
    assertNotReserved(at, given, path);
    const name = nameHeld(root, at, given, path);
    return { ...wanted, parent: at, missing: [], name, given, relative: at.relativeOf(name) };
  } catch (error) {
    at.close();
    throw error;
  } finally {
    for (const each of held) each.close();
  }
}

function closed<Result>(result: Result, directory: Directory): Result {
  directory.close();
  return result;
}

/** The index of the last name, and of the steps that a later `..` undoes. */
function planned(steps: readonly string[]): { last: number; returns: ReadonlySet<number> } {
  const names: number[] = [];
  const returns = new Set<number>();
  for (const [index, step] of steps.entries()) {
    if (step !== '..') {
      names.push(index);
      continue;
    }
    const back = names.pop();
    if (back !== undefined) returns.add(back);
  }
  const last = names.at(-1) ?? -1;
  if (last < steps.length - 1) returns.add(last);
  return { last, returns };
}

/**
 * For a link that is itself deleted or moved: it may dangle, or lead to an entry that no call can name, as long as that
 * is inside.
 * @throws OperationError path_security, permission_denied
 */
export function assertLinkInside(root: Root, { relative, path, parent, name }: Spot): void {
  const resolved = resolveLink(root, relative);
  const isDangling = resolved.problem === 'dangling' && resolved.towards === undefined;
  if (isDangling || resolved.problem === 'illegible') return;
  const target = targetInside(root, resolved, path, pathWords);
  if (root.scope === undefined) return;
  const behind = statsBehind(root, parent, name);
  const use = behind?.isDirectory() === true ? 'whole directory' : 'file';
  if (behind === undefined || !isInScope(root, target, use)) throw outOfScope(root, path);
}
