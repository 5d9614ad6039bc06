import { constants, type BigIntStats } from 'node:fs';
import { OperationError } from '../../src/errors.js';
import { identityOf, isDoubtful, sameIdentity } from '../../src/file-identity.js';
import { lstat } from '../disk/calls.js';
import { followLink } from '../disk/confine.js';
import { isAllowed, withListed } from '../disk/listed-file.js';
import { isShortage, isSystemError } from '../disk/system-error.js';
import { entryOf, isUsable, linesOf, uncountable, type Lines, type Listing, type Name } from './list-entry.js';
import type { KnownFile, ListedFile } from './list-memory.js';

/**
 * Whether a file is still what is known of it. It is asked by its plain path, at half the price of the anchored one. A
 * parent that is swapped meanwhile can lead elsewhere, but nothing of what is there is told: it is only compared, and
 * what differs is looked at through the anchor.
 */
export function isStill({ workspace }: Listing, known: KnownFile): boolean {
  const path = workspace.root.absolute(known.name);
  try {
    const stats = lstat(path);
    return stats !== undefined && isSame(known, stats, path);
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

/**
 * Where the mode did not tell who may write, that is asked again: the capabilities of the super-user, a file system mounted
 * on the file alone or a server of files that decides by itself leave no trace in the identity.
 */
function isSame({ identity, askedWritable }: KnownFile, stats: BigIntStats, path: string): boolean {
  if (!sameIdentity(stats, identity)) return false;
  return askedWritable === undefined || isAllowed(path, constants.W_OK) === askedWritable;
}

/**
 * What is listed of a name.
 * @param known what was known of it
 * @returns null for what is not listed: other things than regular files, and what vanished meanwhile
 */
export function lookAt(listing: Listing, name: Name, known?: KnownFile): ListedFile | null {
  return (name.regular ? lookInside(listing, name, known) : undefined) ?? lookClosely(listing, name);
}

/** The short way for most files: opened at once. @returns undefined if it has to be looked at more closely */
function lookInside(listing: Listing, name: Name, known?: KnownFile): ListedFile | undefined {
  const path = listing.workspace.root.anchor.path(name.text);
  try {
    return withListed(path, (stats, fd) => {
      if (!stats.isFile()) return undefined;
      if (known !== undefined && isSame(known, stats, path)) return known;
      const lines = linesOf(listing, name, stats, fd);
      const identity = isDoubtful(stats, listing.began) ? undefined : identityOf(stats);
      return entryOf(listing, name, path, stats, lines, identity);
    });
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

/**
 * What may be a link, and what cannot be opened. Never known afterwards: the way to a link's target, and the rights
 * along it, can change without a change of either end.
 */
function lookClosely(listing: Listing, name: Name): ListedFile | null {
  const { root } = listing.workspace;
  const path = root.anchor.path(name.text);
  try {
    const stats = lstat(path);
    if (stats?.isFile() === true) return lookFrom(listing, name, path, stats);
    if (stats?.isSymbolicLink() !== true) return null;
    const target = followLink(root, name.text);
    if (target === null) return null;
    try {
      const behind = lstat(target.place.path);
      return behind?.isFile() === true ? lookFrom(listing, name, target.place.path, behind) : null;
    } finally {
      target.close();
    }
  } catch (error) {
    // A file that is there must not be missing in the list because it could not be looked at.
    if (isShortage(error)) throw error;
    if (error instanceof OperationError || isSystemError(error)) return null;
    throw error;
  }
}

/** What can be seen from outside, and inside if it can be opened. */
function lookFrom(listing: Listing, name: Name, path: string, stats: BigIntStats): ListedFile {
  let lines: Lines;
  try {
    lines = withListed(path, (_, fd) => linesOf(listing, name, stats, fd));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (!isUsable(listing, name)) lines = 'unusable';
    else lines = isAllowed(path, constants.R_OK) ? uncountable : 'unreadable';
  }
  return entryOf(listing, name, path, stats, lines);
}
