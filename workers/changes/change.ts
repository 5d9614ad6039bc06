/** A change of one file among several, as judged under the locks; and whether the file is unchanged since. */
import type { BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import { isSameFile, sameIdentity } from '../../src/core/file-identity.js';
import { assertMeant } from '../commit/commit.js';
import { lstat } from '../disk/calls.js';
import { entryOf, isUnchanged, type Step } from './record/record.js';
import { assertStillInside } from '../disk/paths/descend.js';
import { changedMeanwhile } from '../disk/paths/path-errors.js';
import type { Place } from '../disk/paths/open-file.js';
import { isPlaceholder } from '../disk/paths/placeholder.js';
import type { Root } from '../disk/paths/root.js';
import type { Spot } from '../disk/paths/walk.js';
import { contentOf } from '../history/entries.js';
import { unlessWritten } from '../history/kept-files.js';
import type { TemporaryFile } from '../disk/write/temporary-file.js';
import { holdsText, isCurrent, type Version } from '../disk/write/version.js';
import { modifiedConcurrently } from '../disk/write/write-failed.js';
import type { Text } from '../text/scattered-text.js';
import { isRespelling } from '../disk/paths/spelling.js';

interface Replacement {
  readonly kind: 'replace';
  /** How the answer and the history call it. */
  readonly as: 'edited' | 'replaced';
  readonly original: Version;
  readonly text: Text;
  /** Whose mode, owner and attributes it gets, if other than those of the original. */
  readonly like?: Version | undefined;
}

interface Creation {
  readonly kind: 'create';
  readonly spot: Spot;
  readonly text: Text;
  /** Whose mode, owner and attributes it gets, if it takes the place of another file. */
  readonly original?: Version;
}

interface Removal {
  readonly kind: 'remove';
  readonly spot: Spot;
  readonly seen: BigIntStats;
  /** The file as it was read; undefined for a link, and for a file that did not have to be read. */
  readonly version: Version | undefined;
  /** The new file that another change of the call makes of it, if any. */
  readonly movedTo?: Spot;
  /** A directory that was made on the way to something: nobody is told that it goes, and it may stay. */
  readonly ifEmpty?: true | undefined;
}

interface Move {
  readonly kind: 'move';
  readonly from: Spot;
  readonly to: Spot;
  readonly seen: BigIntStats;
}

/** A link or a directory that is put back. */
export interface Making {
  readonly kind: 'make';
  readonly spot: Spot;
  /** Of a link; undefined: it is a directory. */
  readonly target: string | undefined;
  /** Permission bits of a directory. */
  readonly mode: number;
}

/** The owner of a change keeps the files and directories in it open. */
export type Change = {
  /** In the call, from 1. Undefined if it is the only change of its call. */
  readonly number: number | undefined;
  /** The path as the caller wrote it. */
  readonly name: string;
  /** The anchored directories whose entries it changes, as far as they exist. */
  readonly directories: readonly string[];
} & (Replacement | Creation | Removal | Move | Making);

/**
 * The step that the record holds for a change.
 * @param staged the temporary file that holds its text, if it has one
 */
export function stepOf(change: Change, staged?: Pick<TemporaryFile, 'path' | 'stats'>): Step {
  const temporary = { name: basename(staged?.path ?? ''), ino: String(staged?.stats.ino ?? '') };
  switch (change.kind) {
    case 'replace': {
      const { original, text } = change;
      const { relative: path } = original.file.place;
      return { kind: 'replace', path, temporary, text: contentOf(text), old: contentOf(original.bytes) };
    }
    case 'create': {
      const { relative: path, missing } = change.spot;
      return { kind: 'create', path, missing: missing.length, temporary, text: contentOf(change.text) };
    }
    case 'make': {
      const { spot, target, mode } = change;
      return { kind: 'make', path: spot.relative, missing: spot.missing.length, target, mode };
    }
    case 'remove': {
      const { spot, seen, movedTo, ifEmpty } = change;
      return { kind: 'remove', path: spot.relative, entry: entryOf(seen), movedTo: movedTo?.relative, ifEmpty };
    }
    case 'move': {
      const { from, to, seen } = change;
      const { missing } = to;
      const move = { kind: 'move', path: from.relative, to: to.relative, missing: missing.length } as const;
      return { ...move, entry: entryOf(seen), ...(seen.isDirectory() && { directory: true }) };
    }
  }
}

/**
 * Call before the changes are decided.
 * @throws OperationError modified_concurrently, if anything about its file has changed since it was judged
 */
export function assertUnchanged(change: Change, root: Root): void {
  const { name } = change;
  switch (change.kind) {
    case 'replace':
      assertMeant(root, change.original.file.place, name);
      if (!isCurrent(change.original)) throw modifiedConcurrently(name);
      return;
    case 'create':
    case 'make':
      assertFree(change.spot, root);
      return;
    case 'remove':
      assertStillInside(root, change.spot.parent, name);
      if (!isUntouched(change)) throw changedMeanwhile(name);
      return;
    case 'move': {
      const { from, to, seen } = change;
      assertStillInside(root, from.parent, name);
      const there = lstat(from.parent.anchor.path(from.name));
      if (there === undefined || !isUnchanged(entryOf(seen), there)) throw changedMeanwhile(name);
      if (!isRespelling(from.parent.place(from.name), to.parent.place(to.name))) assertFree(to, root);
    }
  }
}

/** Whether it may as well not be made. */
export function isOptional(change: Change): boolean {
  return change.kind === 'remove' && change.ifEmpty === true;
}

export function movesDirectory(change: Change): boolean {
  return change.kind === 'move' && change.seen.isDirectory();
}

/** What it replaces, removes or moves; undefined if it creates a file. */
export function oldPathOf(change: Change): Place | undefined {
  if (change.kind === 'create' || change.kind === 'make') return undefined;
  if (change.kind === 'replace') return change.original.file.place;
  const { parent, name } = change.kind === 'move' ? change.from : change.spot;
  return parent.place(name);
}

function assertFree({ parent, missing: [above], name, path }: Spot, root: Root): void {
  assertStillInside(root, parent, path);
  const at = parent.anchor.path(above ?? name);
  if (lstat(at) !== undefined && !isPlaceholder(at)) throw changedMeanwhile(path);
}

/**
 * Whether the file to be replaced or removed is still the one that was read. If another change has just removed a hard
 * link to it, its ctime differs, so its bytes are compared.
 * @param place where it is, if its directory may have been moved since
 */
export function isUntouched(change: Change, place = oldPathOf(change)): boolean {
  if (place === undefined) return true;
  if (change.kind === 'replace') return isSameVersion(change.original, place);
  if (change.kind !== 'remove') return true;
  const { seen, version } = change;
  const there = lstat(place.path);
  if (there === undefined) return false;
  if (seen.isDirectory()) return isSameFile(there, seen);
  if (version === undefined) return sameIdentity(seen.nlink > 1n ? { ...there, ctimeNs: seen.ctimeNs } : there, seen);
  return isSameFile(there, seen) && isSameVersion(version, place);
}

/** The change of a file that has just been kept. @param now stats of the file */
export function seenAs(change: Change, now: BigIntStats): Change {
  const kept = (version: Version): Version => ({ ...version, stats: unlessWritten(now, version.stats) });
  if (change.kind === 'replace') return { ...change, original: kept(change.original) };
  if (change.kind !== 'remove') return change;
  const { seen, version } = change;
  return {
    ...change,
    seen: unlessWritten(now, seen),
    version: version === undefined ? undefined : kept(version),
  };
}

function isSameVersion(version: Version, place: Place): boolean {
  const { file, bytes, stats } = version;
  return isCurrent({ ...version, file: { ...file, place } }) || (stats.nlink > 1n && holdsText(place, bytes, stats));
}
