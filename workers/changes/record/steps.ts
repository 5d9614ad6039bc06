/**
 * The steps of a record. Each first checks the current state: so it can be repeated from wherever a killed process
 * stopped, and leaves alone what others have changed since.
 */
import { linkSync, renameSync, unlinkSync, type BigIntStats } from 'node:fs';
import { OperationError, type Notice } from '../../../src/core/errors.js';
import { notWritten } from '../../../src/core/failures.js';
import { isSameFile } from '../../../src/core/file-identity.js';
import { hashOf } from '../../text/text-file.js';
import { chmod, fstat, lstat, mkdir, readlink, rmdir, symlink } from '../../disk/calls.js';
import { closeRead } from '../../disk/close.js';
import type { Anchor } from '../../disk/paths/anchor.js';
import { openToRead, type Place } from '../../disk/paths/open-file.js';
import { isPlaceholder, putPlaceholder, removePlaceholder, takeBackPlaceholder } from '../../disk/paths/placeholder.js';
import { fileSource } from '../../disk/read.js';
import { cannotLink, errnoOf, isNoFile, isSystemError, retrying } from '../../disk/system-error.js';
import type { Directories } from './directories.js';
import {
  isSameEntry,
  isUnchanged,
  type Content,
  type Creation,
  type Making,
  type Move,
  type Replacement,
  type Step,
} from './record.js';
import { isRespelling, respell } from '../../disk/paths/spelling.js';

/** Where steps are carried out. */
export interface Tree {
  readonly directories: Directories;
  /** The reserved directory. */
  readonly reserved: Anchor;
  readonly notices: Notice[];
  /**
   * Whether the file of a step is unchanged, known to the call that has just read it. Undefined: compare its bytes with
   * the record.
   */
  readonly isUntouched?: ((step: Step, place: Place) => boolean) | undefined;
  /** Called before a file is replaced or removed, also again: keeps it for the history. */
  readonly keep?: ((step: Step, path: string) => void) | undefined;
}

/** The state of a step. `lost`: its text is gone. `other`: another program has changed its file since. */
export type State = 'open' | 'done' | 'lost' | 'other';

/** @throws the system error */
export function stateOf(step: Step, tree: Tree): State {
  const place = tree.directories.placeOf(step.path);
  if (step.kind === 'move') return stateOfMove(step, place, tree);
  if (place === undefined) {
    // Perhaps another step has removed its directory, too.
    if (step.kind === 'remove') return 'done';
    // Its directory has yet to be made, but there is nothing to put into it.
    return step.kind === 'create' && stagedText(step, tree) === undefined ? 'lost' : 'other';
  }
  switch (step.kind) {
    case 'create':
      return stateOfCreation(step, place, tree);
    case 'replace':
      return stateOfReplacement(step, place, tree);
    case 'remove': {
      const there = lstat(place.path);
      if (there === undefined) return 'done';
      return (tree.isUntouched?.(step, place) ?? isUnchanged(step.entry, there)) ? 'open' : 'other';
    }
    case 'make':
      return isFree(place) ? 'open' : isMade(step, place) ? 'done' : 'other';
  }
}

function stateOfCreation(step: Creation, place: Place, tree: Tree): State {
  const staged = stagedText(step, tree);
  if (isFree(place)) return staged === undefined ? 'lost' : 'open';
  return isSameFile(lstat(place.path), staged) || hasContent(place.path, step.text) ? 'done' : 'other';
}

function stateOfReplacement(step: Replacement, place: Place, tree: Tree): State {
  if (stagedText(step, tree) !== undefined) {
    return (tree.isUntouched?.(step, place) ?? hasContent(place.path, step.old)) ? 'open' : 'other';
  }
  if (hasContent(place.path, step.text)) return 'done';
  return hasContent(place.path, step.old) ? 'lost' : 'other';
}

function stateOfMove({ to, entry }: Move, from: Place | undefined, { directories }: Tree): State {
  // Before the other place is opened, which may close this one.
  const source = from && lstat(from.path);
  const isThere = source !== undefined && isUnchanged(entry, source);
  const target = directories.placeOf(to);
  if (target === undefined) return 'other';
  const there = lstat(target.path);
  if (isSameEntry(entry, there) && !(from && isRespelling(from, target))) return 'done';
  if (isThere && isSameEntry(entry, there)) return 'open';
  if (isThere) return isFree(target) ? 'open' : 'other';
  // A rename may give a file another number: on overlayfs it is copied to the upper layer.
  return there !== undefined && isUnchanged({ ...entry, ino: String(there.ino) }, there) ? 'done' : 'other';
}

/**
 * Stats of the file that holds the text of a step. After a power failure, an unsynced file (`--durability=none`) may
 * hold other bytes: then the text is gone.
 */
function stagedText(
  { temporary, text }: Creation | Replacement,
  { reserved, isUntouched }: Tree,
): BigIntStats | undefined {
  const path = reserved.path(temporary.name);
  const stats = lstat(path);
  if (!isSameEntry(temporary, stats)) return undefined;
  return isUntouched !== undefined || hasContent(path, text) ? stats : undefined;
}

function isMade({ target }: Making, { path }: Place): boolean {
  const there = lstat(path);
  if (target === undefined) return there?.isDirectory() === true;
  return there?.isSymbolicLink() === true && readlink(path) === target;
}

function isFree({ path }: Place): boolean {
  return lstat(path) === undefined || isPlaceholder(path);
}

/** Take the name of a new file, or of a moved one, without replacing anything. @throws the system error */
export function takeName(step: Creation | Move | Making, tree: Tree): void {
  const state = stateOf(step, tree);
  // A directory has been made already, without its mode, for what is in it.
  if (state !== 'open' && !(state === 'done' && isDirectory(step))) return;
  const place = tree.directories.placeOf(newPathOf(step));
  if (place === undefined) return;
  if (step.kind === 'move') {
    if (step.directory !== true) putPlaceholder(place.path);
  } else if (step.kind === 'make') {
    removePlaceholder(place.path);
    make(step, place);
  } else {
    removePlaceholder(place.path);
    untilDone(step, tree, () => {
      link(tree.reserved.path(step.temporary.name), place.path);
    });
  }
}

function make({ target, mode }: Making, { path }: Place): void {
  if (target !== undefined) symlink(target, path);
  else {
    try {
      mkdir(path, 0o700);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    chmod(path, mode);
  }
}

function isDirectory(step: Step): boolean {
  return step.kind === 'make' && step.target === undefined;
}

/** Give up a name that was claimed. @throws the system error */
export function giveUpName(step: Creation | Move | Making, tree: Tree): void {
  const place = tree.directories.placeOf(newPathOf(step));
  if (place === undefined) return;
  if (step.kind === 'move') {
    takeBackPlaceholder(place.path);
    return;
  }
  if (step.kind === 'make') {
    if (!isMade(step, place)) return;
    // What is in it is given up later, with the directories that were made for it.
    if (step.target === undefined) removeIfEmpty(place.path);
    else unlinkSync(place.path);
    return;
  }
  const there = lstat(place.path);
  if (there === undefined || !isSameEntry(step.temporary, there)) return;
  if (hasContent(place.path, step.text)) unlinkSync(place.path);
  else tree.notices.push({ message: `The new file '${step.path}' stays: another program has written to it` });
}

function newPathOf(step: Creation | Move | Making): string {
  return step.kind === 'move' ? step.to : step.path;
}

/** link(2) never replaces a file that another program has just created; rename would. */
function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST') return;
    if (!cannotLink(errno)) throw error;
    // Check first, then rename.
    if (lstat(to) === undefined) renameSync(from, to);
  }
}

/**
 * Carry out a step whose name has been claimed, if it has one.
 * @returns false if it was skipped, because another program has changed its file
 * @throws the system error; OperationError write_failed if another program has removed the text
 */
export function carryOut(step: Step, tree: Tree): boolean {
  const state = stateOf(step, tree);
  if (state === 'done') return true;
  if (state === 'lost' && tree.isUntouched !== undefined) throw textsAreGone();
  // A new file that is gone again has been removed by another program.
  if (state !== 'open' || step.kind === 'create' || step.kind === 'make') {
    if (step.kind === 'move') giveUpName(step, tree);
    return false;
  }
  let isLeft = false;
  untilDone(step, tree, () => {
    const from = tree.directories.placeOf(step.path);
    if (from === undefined) return;
    if (step.kind !== 'move') tree.keep?.(step, from.path);
    if (step.kind === 'replace') renameSync(tree.reserved.path(step.temporary.name), from.path);
    else if (step.kind === 'remove') isLeft = !remove(from.path);
    else {
      const to = tree.directories.placeOf(step.to);
      if (to === undefined) return;
      if (isRespelling(from, to)) respell(from, to);
      else renameSync(from.path, to.path);
    }
  });
  return !isLeft;
}

/** @returns false for a directory into which another program has just put something */
function remove(path: string): boolean {
  if (lstat(path)?.isDirectory() === true) return removeIfEmpty(path);
  unlinkSync(path);
  return true;
}

function removeIfEmpty(path: string): boolean {
  try {
    rmdir(path);
    return true;
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
    return false;
  }
}

export function textsAreGone(): OperationError {
  return new OperationError('write_failed', notWritten('another program has removed temporary files'));
}

/**
 * Every attempt checks the state again, so nothing that another program wrote before it is lost. An attempt reported as
 * failed may have been carried out.
 */
function untilDone(step: Step, tree: Tree, attempt: () => void): void {
  retrying((again) => {
    if (again && stateOf(step, tree) !== 'open') return;
    try {
      attempt();
    } catch (error) {
      if (!isSystemError(error) || stateOf(step, tree) !== 'done') throw error;
    }
  });
}

/** Whether a regular file at a path has this text. @throws the system error */
function hasContent(path: string, { size, hash }: Content): boolean {
  let fd: number;
  try {
    if (lstat(path)?.isFile() !== true) return false;
    fd = openToRead({ path });
  } catch (error) {
    if (isNoFile(errnoOf(error))) return false;
    throw error;
  }
  try {
    const stats = fstat(fd);
    if (!stats.isFile() || Number(stats.size) !== size) return false;
    return hashOf({ length: size, source: () => fileSource(fd, size, size), release: () => undefined }) === hash;
  } finally {
    closeRead(fd);
  }
}
