/**
 * Makes the changes of a record (spec 14): by the call that decided them or, if its process has died, by whoever comes
 * next.
 */
import { recordName } from '../../../src/core/names/reserved-name.js';
import { mkdir, rmdir, unlink } from '../calls.js';
import { errnoOf, isDenied, isSystemError, noticeOf } from '../system-error.js';
import { directoriesIn, pathsIn, type ChangeRecord, type Creation, type Move, type Step } from './record.js';
import { carryOut, claimName, giveUpName, stateOf, textsAreGone, type Site } from './steps.js';

/** A change could not be made. */
export class StepFailed extends Error {
  constructor(
    /** Undefined if it is not about one of them. */
    readonly step: Step | undefined,
    override readonly cause: unknown,
    /** Whether everything is as it was. Otherwise the record stays, and the next writer goes on. */
    readonly undone: boolean,
  ) {
    super('a change could not be made');
  }
}

/**
 * Open all directories that are there: what cannot be opened must be known before the first change.
 * @param synced whether they will be synced
 * @throws the system error
 */
export function openDirectories(record: ChangeRecord, { directories }: Site, synced: boolean): void {
  for (const path of pathsIn(record)) directories.placeOf(path);
  if (!synced) return;
  for (const batch of directories.inBatches()) for (const each of batch) each.openReadable();
}

/**
 * Make all changes. Names that are new come first: only they take space on the disk, and can be given up again.
 * @returns the steps that were left out, since another program has changed their files after the decision
 * @throws StepFailed
 */
export function makeChanges(record: ChangeRecord, site: Site): readonly Step[] {
  const { steps } = record;
  let at: Step | undefined;
  try {
    if (site.isUntouched === undefined && isLost(record, site)) throw textsAreGone();
    makeDirectories(record, site);
    for (at of steps.filter(isNew)) claimName(at, site);
    const left: Step[] = [];
    for (at of steps) if (isOnlyCopy(at, left) || !carryOut(at, site)) left.push(at);
    for (const { path } of left) site.notices.push({ message: leftOut(path) });
    return left;
  } catch (error) {
    throw new StepFailed(at, error, undo(record, site));
  }
}

function isNew(step: Step): step is Creation | Move {
  return step.kind === 'create' || step.kind === 'move';
}

/** Another program has taken the name that the text of this file was to have. */
function isOnlyCopy(step: Step, left: readonly Step[]): boolean {
  return step.kind === 'remove' && left.some(({ path }) => path === step.movedTo);
}

function leftOut(path: string): string {
  return `Of changes of several files, that of '${path}' was left out: another program has changed the file since they were decided`;
}

/**
 * Whether the record came to disk and a text that it names did not: the machine lost power before the changes were
 * decided, and none is made.
 */
function isLost({ steps }: ChangeRecord, site: Site): boolean {
  const states = steps.map((step) => stateOf(step, site));
  return states.includes('lost') && !states.includes('done');
}

function makeDirectories(record: ChangeRecord, { directories }: Site): void {
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

/** Give up all new names, and the directories made for them. @returns whether everything is as it was */
function undo(record: ChangeRecord, site: Site): boolean {
  try {
    const isDone = (step: Step): boolean => unlessDenied(() => stateOf(step, site)) === 'done';
    if (record.steps.some((step) => step.kind !== 'create' && isDone(step))) return false;
    for (const step of record.steps.filter(isNew)) {
      unlessDenied(() => {
        giveUpName(step, site);
      });
    }
    for (const path of directoriesIn(record).toReversed()) removeDirectory(path, site);
    return true;
  } catch {
    // The error that came first is told.
    return false;
  }
}

/**
 * The umask may take from the owner the right to look into a new directory (systemd's UMask=0177): then nothing has been
 * made in it.
 */
function unlessDenied<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    if (!isDenied(errnoOf(error))) throw error;
    return undefined;
  }
}

/** Unless another program has put something in it. */
function removeDirectory(path: string, { directories, notices }: Site): void {
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
 * Remove the record, and the temporary files that it names. Only once the changes are on disk, as far as that is
 * promised. @throws the system error, with the record still there
 */
export function removeRecord({ steps }: ChangeRecord, { reserved, notices }: Site): void {
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
