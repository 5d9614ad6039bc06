import { constants, type BigIntStats } from 'node:fs';
import { OperationError } from '../../src/core/errors.js';
import { identityOf, isDoubtful, sameIdentity } from '../../src/core/file-identity.js';
import { lstat } from '../disk/calls.js';
import { followLink, nameWords } from '../disk/paths/behind-link.js';
import { isInScope } from '../disk/paths/scope.js';
import { isAllowed, replaceableIn, withListed } from '../disk/paths/open-listed.js';
import { errnoOf, isFault, isShortage, isSystemError } from '../disk/system-error.js';
import {
  entryOf,
  isUsable,
  linesOf,
  uncountable,
  unseenEntry,
  type Lines,
  type Listing,
  type Name,
} from './list-entry.js';
import type { KnownFile, ListedFile } from './list-memory.js';

/**
 * Whether a file is unchanged. It is stat'ed by its plain path, at half the cost of an anchored one. A parent swapped
 * at the same time may lead elsewhere, but no data can leak: the stats are only compared, and a file that differs is
 * read through the anchor.
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
 * Where the mode does not decide whether the file is writable, ask the system again: super-user capabilities, a mount
 * on that single file, and a file server's own rules leave no trace in the identity.
 */
function isSame({ identity, askedWritable }: KnownFile, stats: BigIntStats, path: string): boolean {
  if (!sameIdentity(stats, identity)) return false;
  return askedWritable === undefined || isAllowed(path, constants.W_OK) === askedWritable;
}

/**
 * The entry for a name.
 * @param known its entry in the last listing
 * @returns null for names that are not listed: anything but regular files, and files that have vanished
 */
export function lookAt(listing: Listing, name: Name, known?: KnownFile): ListedFile | null {
  return (name.regular ? lookInside(listing, name, known) : undefined) ?? lookClosely(listing, name);
}

/** The fast path for most files: open directly. @returns undefined if a closer look is needed */
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
 * For possible links, and for files that cannot be opened. Their entries are never reused: the way to a link's target,
 * and the rights along it, can change while both ends stay the same.
 */
function lookClosely(listing: Listing, name: Name): ListedFile | null {
  const { root } = listing.workspace;
  const path = root.anchor.path(name.text);
  try {
    const stats = lstat(path);
    if (stats?.isFile() === true) return lookFrom(listing, name, path, stats);
    if (stats?.isSymbolicLink() !== true) return null;
    const target = followLink(root, name.text, name.text, nameWords);
    if (target === null || target === 'root') return null;
    try {
      if (!isInScope(root, target.place.relative, 'file')) return null;
      const { path: end, directory } = target.place;
      const behind = lstat(end);
      if (behind?.isFile() !== true) return null;
      const there = { ...listing, replaceable: replaceableIn(directory, listing.user) };
      return lookFrom(there, name, end, behind);
    } finally {
      target.close();
    }
  } catch (error) {
    // A shortage of descriptors or memory must not hide an existing file from the list.
    if (isShortage(errnoOf(error))) throw error;
    if (error instanceof OperationError) return null;
    if (!isSystemError(error)) throw error;
    // Nor must a fault: a reader who believes the file missing may create another one.
    return name.regular && isFault(errnoOf(error)) ? unseenEntry(name) : null;
  }
}

/** The stats, and the content if the file can be opened. */
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
