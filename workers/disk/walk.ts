/**
 * The way along a path of several names (contract 11). Every directory is opened from the one before it, and no link is
 * followed by the kernel: where one stands, its real path says where it leads, and that is walked from the root in the
 * same manner. So nothing that is swapped meanwhile leads outside; it only ends the walk.
 */
import { constants, lstatSync, realpathSync } from 'node:fs';
import type { OperationError } from '../../src/errors.js';
import { parsePath } from '../../src/validation/path.js';
import { openParent, type Place } from './confine.js';
import { resolveMissing, type Resolved } from './link.js';
import { isNoDirectory, pathDenied, pathEscapes, pathNotFound } from './path-errors.js';
import { Anchor, type Root } from './root.js';
import { errnoOf, isShortage } from './system-error.js';

/** A directory at or below the root, held open. */
export class Directory {
  private constructor(
    readonly anchor: Anchor,
    /** Its real path below the root; '' is the root. */
    readonly relative: string,
  ) {}

  static root(root: Root): Directory {
    return new Directory(root.anchor, '');
  }

  /** @throws the system error, as Anchor.open */
  static open(path: string, relative: string): Directory {
    return new Directory(Anchor.open(path), relative);
  }

  /** Where a name in it is. */
  place(name: string): Place {
    const { base } = this.anchor;
    return { relative: this.relativeOf(name), path: this.anchor.path(name), directory: base };
  }

  relativeOf(name: string): string {
    return this.relative === '' ? name : `${this.relative}/${name}`;
  }

  close(): void {
    // The root's anchor is the root's own.
    if (this.relative !== '') this.anchor.close();
  }
}

/** Where a path leads to, but for its last name: what is there, if anything, nobody has looked at. */
export interface Spot {
  /** As the caller wrote it. */
  readonly path: string;
  /** The directory that the last name is in, or the last one on the way that exists. */
  readonly parent: Directory;
  /** Directories between `parent` and the last name that do not exist. */
  readonly missing: readonly string[];
  readonly name: string;
  /** Only a directory can be meant. */
  readonly directory: boolean;
  /** Its path below the root, links on the way resolved: what locks go by. */
  readonly relative: string;
}

/** What changes under every look is hostile or hopeless: so many looks, then it is refused. */
export const mostLooks = 4;

/**
 * Walk to the place that a path names. Has to be closed (its `parent`).
 * @param path that checkPath (src/validation/path.ts) lets pass
 * @returns 'root' if it names the working directory itself
 * @throws OperationError path_security, not_found, not_a_directory, permission_denied; the system error of a shortage
 */
export function walk(root: Root, path: string): Spot | 'root' {
  const { steps, directory } = parsePath(path);
  const { last, returns } = planned(steps);
  // Directories that a later `..` leads back to, or that hold the last name, stay open behind the one reached.
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
        if (rest.includes('..') || returns.has(index)) throw pathNotFound(path);
        const name = rest.at(-1) ?? '';
        const missing = rest.slice(0, -1);
        return { path, parent: at, missing, name, directory, relative: at.relativeOf(rest.join('/')) };
      }
      if (returns.has(index)) held.push(at);
      else at.close();
      at = next;
    }
    const name = steps[last];
    if (name === undefined) return closed('root', at);
    if (last < steps.length - 1) {
      at.close();
      at = held.pop() ?? Directory.root(root);
    }
    return { path, parent: at, missing: [], name, directory, relative: at.relativeOf(name) };
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

/** Which step is the last name, and from which steps the walk has to come back. */
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
 * Open the directory of this name in another one, also behind a link that stays inside.
 * @returns null if there is nothing
 * @throws OperationError path_security, not_found (a dangling link), not_a_directory, permission_denied
 */
export function descend(root: Root, from: Directory, name: string, path: string): Directory | null {
  for (let look = 0; look < mostLooks; look++) {
    const relative = from.relativeOf(name);
    const opened = tryDirectory(from.anchor.path(name), relative, path);
    if (opened !== 'link') return assertInside(root, opened, path);
    const behind = followToDirectory(root, relative, path);
    if (behind !== null) return assertInside(root, behind, path);
  }
  throw keepsChanging(path);
}

function tryDirectory(at: string, relative: string, path: string): Directory | 'link' | null {
  try {
    // Where the flag is missing (Windows) a link would be followed: it is looked at first.
    if (constants.O_NOFOLLOW === undefined && isLink(at)) return 'link';
    return Directory.open(at, relative);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT') return null;
    if (errno === 'EACCES' || errno === 'EPERM') throw pathDenied(path, errno);
    if (errno !== 'ELOOP' && errno !== 'ENOTDIR' && errno !== 'EMLINK') throw error;
    const seen = lstatSync(at, { throwIfNoEntry: false });
    if (seen === undefined) return null;
    // A directory by now: for the next look, as a link is.
    if (seen.isSymbolicLink() || seen.isDirectory()) return 'link';
    throw isNoDirectory(path);
  }
}

function isLink(at: string): boolean {
  return lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** @returns null if something on the way changed while looking */
function followToDirectory(root: Root, link: string, path: string): Directory | null {
  const relative = leadsInside(resolveMissing(root, link), path);
  if (relative === '') return Directory.root(root);
  const target = openParent(root, relative);
  if (target === null) return null;
  try {
    const opened = tryDirectory(target.place.path, relative, path);
    return opened === 'link' ? null : opened;
  } finally {
    target.close();
  }
}

/** A link itself is to be deleted or moved: it may lead to nothing. @throws OperationError path_security, permission_denied */
export function assertLinkInside(root: Root, { relative, path }: Spot): void {
  const resolved = resolveMissing(root, relative);
  if (resolved.problem !== 'dangling') leadsInside(resolved, path);
}

/** Where a link leads. @throws OperationError path_security, not_found (dangling), permission_denied */
export function leadsInside({ relative, problem, errno }: Resolved, path: string): string {
  if (problem === undefined) return relative;
  switch (problem) {
    case 'dangling':
      throw pathNotFound(path, 'A symbolic link on this path leads to nothing. Use another path or delete the link.');
    case 'denied':
      throw pathDenied(path, errno);
    case 'outside':
      throw pathEscapes(path, 'A symbolic link on this path leads outside the working directory. Use another path.');
    case 'loop':
      throw pathEscapes(path, 'A symbolic link on this path leads back to itself. Use another path.');
    case 'reserved':
      throw pathEscapes(
        path,
        'A symbolic link on this path leads into ".file-editor", which is reserved. Use another.',
      );
  }
}

export function keepsChanging(path: string): OperationError {
  return pathEscapes(path, 'A symbolic link on this path keeps changing. Use another path.');
}

/**
 * Without /proc the walk goes by names, so that a directory could have been swapped for a link: what was opened must be
 * what the real path names now. A weaker promise than on Linux, and documented.
 */
function assertInside(root: Root, opened: Directory | null, path: string): Directory | null {
  if (opened === null || process.platform === 'linux') return opened;
  const expected = root.absolute(opened.relative);
  const isThere = opened.relative === '' || (opened.anchor.isAt(expected) && realPathOf(expected) === expected);
  if (isThere) return opened;
  opened.close();
  throw keepsChanging(path);
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (errnoOf(error) === undefined || isShortage(error)) throw error;
    return undefined;
  }
}
