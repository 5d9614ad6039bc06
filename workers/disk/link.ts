import { dirname, resolve } from 'node:path';
import { isReservedName } from '../../src/reserved-name.js';
import { lstat, readlink, realpath } from './calls.js';
import type { Root } from './root.js';
import { errnoOf } from './system-error.js';

/** Where a symbolic link leads. */
export interface Resolved {
  /** Real path below the root; '' is the root itself. Meaningless if there is a problem. */
  readonly relative: string;
  readonly problem?: 'dangling' | 'loop' | 'denied' | 'outside' | 'reserved';
  /** Of a link that is `denied`. */
  readonly errno?: string;
}

/** How many links in a row are followed: as many as the kernel follows. */
const mostLinks = 40;

/**
 * Where a link leads now; it may lead elsewhere a moment later.
 * @param link its path below the root, with no link on the way
 * @throws any system error that none of the problems names
 */
export function resolveLink(root: Root, link: string): Resolved {
  let target: string;
  try {
    target = realpath(root.absolute(link));
  } catch (error) {
    const errno = errnoOf(error);
    // Nothing can have a name that is too long.
    if (errno === 'ENOENT' || errno === 'ENOTDIR' || errno === 'ENAMETOOLONG') {
      return { relative: '', problem: 'dangling' };
    }
    if (errno === 'ELOOP') return { relative: '', problem: 'loop' };
    if (errno === 'EACCES' || errno === 'EPERM') return { relative: '', problem: 'denied', errno };
    throw error;
  }
  return inside(root, target);
}

/** As `resolveLink`, but a link whose missing target would lie outside counts as leading outside. */
export function resolveMissing(root: Root, link: string): Resolved {
  const resolved = resolveLink(root, link);
  if (resolved.problem !== 'dangling') return resolved;
  const { problem = 'dangling' } = inside(root, missingTarget(root.absolute(link)));
  return { relative: '', problem };
}

function inside(root: Root, target: string): Resolved {
  if (target === root.directory) return { relative: '' };
  const relative = root.relative(target);
  if (relative === undefined) return { relative: '', problem: 'outside' };
  return { relative, ...(relative.split('/').some(isReservedName) ? { problem: 'reserved' } : {}) };
}

/** The real path that a dangling link would have if its target existed. */
function missingTarget(link: string): string {
  let path = link;
  for (let links = 0; links < mostLinks; links++) {
    const target = linkText(path);
    if (target === undefined) break;
    path = resolve(realOf(dirname(path)), target);
  }
  return realOf(path);
}

function linkText(path: string): string | undefined {
  try {
    return lstat(path)?.isSymbolicLink() === true ? readlink(path) : undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** The real path of the part that exists, followed by the rest as it is written. */
function realOf(path: string): string {
  try {
    return realpath(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    const parent = dirname(path);
    return parent === path ? path : resolve(realOf(parent), path.slice(parent.length).replace(/^[/\\]/, ''));
  }
}
