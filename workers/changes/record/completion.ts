/**
 * Makes the changes of a record (spec 14): by the call that decided them or, if its process has died, by the next
 * writer or server.
 */
import { recordName } from '../../../src/core/names/reserved-name.js';
import { mkdir, rmdir, unlink } from '../../disk/calls.js';
import { errnoOf, isDenied, isSystemError, noticeOf } from '../../disk/system-error.js';
import {
  directoriesIn,
  directoryMovesIn,
  pathsIn,
  type ChangeRecord,
  type Creation,
  type Making,
  type Move,
  type Step,
} from './record.js';
import { carryOut, takeName, giveUpName, stateOf, textsAreGone, type Tree } from './steps.js';

/** A change could not be made. */
export class StepFailed extends Error {
  constructor(
    /** The step that failed; undefined if the failure concerns no single step. */
    readonly step: Step | undefined,
    override readonly cause: unknown,
    /** Whether everything was undone. Otherwise the record stays, and the next writer continues. */
    readonly undone: boolean,
  ) {
    super('a change could not be made');
  }
}

/**
 * Open all existing directories: one that cannot be opened must be known before the first change.
 * @param synced whether they will be synced
 * @throws the system error
 */
export function openDirectories(record: ChangeRecord, { directories }: Tree, synced: boolean): void {
  for (const path of pathsIn(record)) directories.placeOf(path);
  if (!synced) return;
  for (const batch of directories.inBatches()) for (const each of batch) each.openReadable();
}

/**
 * Make all changes, new names first: only they take disk space, and can be undone.
 * @returns the steps that were skipped, because another program has changed their files since the decision
 * @throws StepFailed
 */
export function makeChanges(record: ChangeRecord, tree: Tree): readonly Step[] {
  const { steps } = record;
  let at: Step | undefined;
  try {
    if (tree.isUntouched === undefined && isLost(record, tree)) throw textsAreGone();
    makeDirectories(record, tree);
    for (at of steps.filter(isNew)) takeName(at, tree);
    const left: Step[] = [];
    // Directories first: if one cannot be moved, all else can still be undone.
    for (at of new Set<Step>([...directoryMovesIn(steps), ...steps])) {
      if (at.kind === 'remove' && at.ifEmpty === true) removeDirectory(at.path, tree);
      else if (isOnlyCopy(at, left) || !carryOut(at, tree)) left.push(at);
    }
    for (const { path } of left) tree.notices.push({ message: leftOut(path) });
    return left;
  } catch (error) {
    throw new StepFailed(at, error, undo(record, tree));
  }
}

function isNew(step: Step): step is Creation | Move | Making {
  return step.kind === 'create' || step.kind === 'move' || step.kind === 'make';
}

/** Another program has taken the name that the text of this file was to have. */
function isOnlyCopy(step: Step, left: readonly Step[]): boolean {
  return step.kind === 'remove' && left.some(({ path }) => path === step.movedTo);
}

function leftOut(path: string): string {
  return `Of changes of several files, that of '${path}' was left out: another program has changed the file since they were decided`;
}

/**
 * Whether the record reached the disk, but not a text that it names: power failed before the changes were decided, and
 * none is made.
 */
function isLost({ steps }: ChangeRecord, tree: Tree): boolean {
  const states = steps.map((step) => stateOf(step, tree));
  return states.includes('lost') && !states.includes('done');
}

function makeDirectories(record: ChangeRecord, { directories }: Tree): void {
  for (const path of directoriesIn(record)) {
    const place = directories.placeOf(path);
    if (place === undefined) continue;
    try {
      mkdir(place.path);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Undo all new names, and the directories made for them. @returns whether everything was undone */
function undo(record: ChangeRecord, tree: Tree): boolean {
  try {
    const isDone = (step: Step): boolean => unlessDenied(() => stateOf(step, tree)) === 'done';
    // The others are undone as their names are given up.
    if (record.steps.some((step) => step.kind !== 'create' && step.kind !== 'make' && isDone(step))) return false;
    for (const step of record.steps.filter(isNew)) {
      unlessDenied(() => {
        giveUpName(step, tree);
      });
    }
    for (const path of directoriesIn(record).toReversed()) removeDirectory(path, tree);
    return true;
  } catch {
    // The first error is the one reported.
    return false;
  }
}

/** The umask may deny even the owner access to a new directory (systemd's UMask=0177): then it is still empty. */
function unlessDenied<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    if (!isDenied(errnoOf(error))) throw error;
    return undefined;
  }
}

/** Does nothing if another program has put something in it. */
function removeDirectory(path: string, { directories, notices }: Tree): void {
  const place = directories.placeOf(path);
  if (place === undefined) return;
  try {
    rmdir(place.path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(error.code)) return;
    notices.push(noticeOf('A directory could not be removed', error));
  }
}

/**
 * Remove the record, and the temporary files that it names. Call only once the changes are as durable as promised.
 * @throws the system error, with the record still there
 */
export function removeRecord({ steps }: ChangeRecord, { reserved, notices }: Tree): void {
  unlink(reserved.path(recordName));
  for (const step of steps) {
    if (step.kind !== 'create' && step.kind !== 'replace') continue;
    try {
      unlink(reserved.path(step.temporary.name));
    } catch (error) {
      if (!isSystemError(error)) throw error;
      if (error.code !== 'ENOENT') notices.push(noticeOf('A temporary file could not be removed', error));
    }
  }
}
