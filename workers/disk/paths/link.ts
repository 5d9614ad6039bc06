import { isUtf8 } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import { isAbsolute, parse, resolve } from 'node:path';
import { isReservedName } from '../../../src/core/names/reserved-name.js';
import { Anchor, type Directory } from './anchor.js';
import { lstat, readlink, readlinkBytes, realpath, realpathBytes } from '../calls.js';
import { openParent, openReal } from './parent.js';
import { isNowhere } from './placeholder.js';
import type { Root } from './root.js';
import { isInScope } from './scope.js';
import { errnoOf, isDenied, isVanished } from '../system-error.js';
import { namesOf } from './system-path.js';

/** The target of a symbolic link. */
export interface Resolved {
  /** Real path below the root; '' is the root itself. Meaningless if there is a problem. */
  readonly relative: string;
  /** `illegible`: it leads inside, but no call can name its target. `not allowed`: not to this caller. */
  readonly problem?: 'dangling' | 'loop' | 'denied' | 'outside' | 'reserved' | 'illegible' | 'not allowed';
  /** Set for a `dangling` link that would lead to a forbidden place if its target existed. */
  readonly towards?: 'outside' | 'reserved' | 'not allowed' | undefined;
  /** Set for a `denied` link. */
  readonly errno?: string;
}

/** How many links in a row are followed: as many as the kernel follows. */
const mostLinks = 40;

/** realpath cannot go on: a component is missing, may not be entered, or lies too deep for one path. */
const unfinished: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'EPERM']);

/**
 * The current target of a link; it may change a moment later.
 * @param link its path below the root, with no link on the way
 * @throws any system error that none of the problems names
 */
export function resolveLink(root: Root, link: string): Resolved {
  try {
    const at = root.absolute(link);
    const target = realpath(at);
    const resolved = inside(root, target);
    const isUsable = resolved.problem !== undefined || isLegible(target, () => realpathBytes(at));
    return isUsable ? resolved : { relative: '', problem: 'illegible' };
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    if (errno === 'ELOOP') return { relative: '', problem: 'loop' };
    if (unfinished.has(errno)) return follow(root, link);
    throw error;
  }
}

/** Bytes that are not UTF-8 become U+FFFD; a file with U+FFFD in its name would be mistaken for the target. */
function isLegible(path: string, bytes: () => Buffer): boolean {
  return !path.includes('\uFFFD') || isUtf8(bytes());
}

function inside(root: Root, target: string): Resolved & { problem?: 'outside' | 'reserved' | 'not allowed' } {
  if (target === root.directory) return { relative: '' };
  const relative = root.relative(target);
  if (relative === undefined) return { relative: '', problem: 'outside' };
  if (relative.split('/').some(isReservedName)) return { relative, problem: 'reserved' };
  return isInScope(root, relative, 'anything') ? { relative } : { relative, problem: 'not allowed' };
}

/**
 * Stats of a name in a directory, following a link that stays inside.
 * @returns undefined if nothing is there, or the link leads outside or to what the caller may not use
 * @throws the system error
 */
export function statsBehind(root: Root, directory: Directory, name: string): BigIntStats | undefined {
  const place = directory.place(name);
  const seen = lstat(place.path);
  if (seen?.isSymbolicLink() !== true) return seen;
  const { problem, relative } = resolveLink(root, place.relative);
  if (problem !== undefined) return undefined;
  if (relative === '') return root.anchor.stats;
  const target = openParent(root, relative);
  if (target === null) return undefined;
  try {
    const behind = lstat(target.place.path);
    const use = behind?.isDirectory() === true ? 'directory' : 'file';
    return isInScope(root, relative, use) ? behind : undefined;
  } finally {
    target.close();
  }
}

/**
 * Follow a link component by component as far as they exist; the rest is taken literally. Resolving by text alone would
 * misjudge `..` after another link, which the kernel resolves differently.
 */
function follow(root: Root, link: string): Resolved {
  const parents = link.split('/');
  const ahead = parents.splice(-1);
  const at = openReal(root, parents);
  if (at === null) return { relative: '', problem: 'dangling' };
  const trail = { at, path: resolve(root.directory, ...parents), ahead };
  try {
    const stop = whatStops(trail);
    if (stop === 'loop') return { relative: '', problem: 'loop' };
    const target = inside(root, resolve(trail.path, ...trail.ahead));
    if (stop === undefined) return target;
    // A placeholder dangles on purpose: its name is free.
    if (stop === 'missing') {
      const isFree = isNowhere(target.relative);
      return { relative: '', problem: 'dangling', towards: isFree ? undefined : forbiddenAt(root, target) };
    }
    if (target.problem !== undefined) return target;
    return { relative: '', ...(stop === 'illegible' ? { problem: stop } : { problem: 'denied', errno: stop }) };
  } finally {
    trail.at.close();
  }
}

/** Why the caller must not learn that a target is missing; undefined if it may. */
function forbiddenAt(root: Root, { relative, problem }: ReturnType<typeof inside>): Resolved['towards'] {
  return problem ?? (isInScope(root, relative, 'nothing') ? undefined : 'not allowed');
}

/** Progress in following a link. */
interface Trail {
  /** The directory reached so far; only this one is held open. */
  at: Anchor;
  /** The path reached so far; at the end it may be a file. */
  path: string;
  /** Names still ahead. */
  readonly ahead: string[];
}

/** Walk until no names are ahead. @returns what stops the walk earlier: an errno where permission is missing */
function whatStops(trail: Trail): string | undefined {
  try {
    return go(trail);
  } catch (error) {
    const errno = errnoOf(error);
    if (isVanished(errno)) return 'missing';
    if (isDenied(errno)) return errno;
    throw error;
  }
}

function go(trail: Trail): 'loop' | 'missing' | 'illegible' | undefined {
  let links = 0;
  // Empty names, `.` and `..` mean the same to the system as in a link.
  for (let [name] = trail.ahead; name !== undefined; [name] = trail.ahead) {
    const seen = lstat(trail.at.path(name));
    if (seen === undefined) return 'missing';
    if (seen.isSymbolicLink()) {
      if (++links > mostLinks) return 'loop';
      const at = trail.at.path(name);
      const text = readlink(at);
      const bytes = (): Buffer => readlinkBytes(at);
      turn(trail, text);
      if (!isLegible(text, bytes)) return 'illegible';
      continue;
    }
    if (trail.ahead.length > 1) trail.at = trail.at.leaveFor(name);
    trail.path = resolve(trail.path, name);
    trail.ahead.shift();
  }
  return undefined;
}

/** Continue at the target of a link instead of at its name. */
function turn(trail: Trail, text: string): void {
  const top = isAbsolute(text) ? parse(text).root : '';
  if (top !== '') {
    const next = Anchor.open(top);
    trail.at.close();
    trail.at = next;
    trail.path = top;
  }
  trail.ahead.splice(0, 1, ...namesOf(text.slice(top.length)));
}
