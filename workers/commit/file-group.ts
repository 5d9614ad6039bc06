/**
 * Writes of one file that are committed together (spec 6): the lock is taken once; the file is read, written and
 * synced once. What happens in between is in group-commit.ts.
 */
import { OperationError, type Failure } from '../../src/errors.js';
import { oneSpelling } from '../../src/one-spelling.js';
import type { OperationName } from '../../src/operations.js';
import { plainNames } from '../../src/validation/path.js';
import { realpath } from '../disk/calls.js';
import { assertWritable, type OpenFile } from '../disk/open-file.js';
import { releaseLock, type FileLock } from '../disk/lock.js';
import { isPlaceholder } from '../disk/placeholder.js';
import type { Root } from '../disk/root.js';
import { errnoOf } from '../disk/system-error.js';
import { isStillThere } from '../disk/version.js';
import type { Call } from '../handler.js';
import { SharedProgress } from '../progress.js';
import type { TaskAnswer } from '../task.js';
import { orRefusal } from './applied.js';
import { takeFileLock, waitForFileLock } from './file-lock.js';
import { commitGroup, type Target } from './group-commit.js';
import { Absent, type TextOperation } from './text-operation.js';
import { giveTime, mayBeUnfinished, mostPatienceMs } from './unfinished.js';

/** For calls that write nothing. A call that tried to write would be refused, since this lock is never held. */
const noLock: FileLock = { isHeld: () => false, release: () => undefined };

/**
 * Change the text of a file by one call after the other.
 * @param calls all of one file, which they name in the same way
 * @throws OperationError if all of them fail for the same reason; RootMoved, with nothing written
 */
export async function changeTogether<Name extends OperationName>(
  calls: readonly Call<Name>[],
  operation: TextOperation<Name>,
): Promise<TaskAnswer> {
  const [first] = calls;
  if (first === undefined) return [];
  const name = operation.nameOf(first.params);
  const { workspace, notices, progress: own } = first.context;
  const progress = calls.length === 1 ? own : new SharedProgress(calls.map(({ context }) => context.progress));
  const waiting = { workspace, progress, notices };
  let patienceMs = mostPatienceMs;
  let held: { readonly lock: FileLock; readonly relative: string } | undefined;
  const release = (): void => {
    if (held !== undefined) releaseLock(held.lock, notices);
    held = undefined;
  };
  try {
    for (;;) {
      const underLock = held !== undefined;
      const file = openToWrite(operation, workspace.root, name);
      const relative = relativeOf(file, name);
      const target = { name, file, isMeant: (): boolean => leadsTo(workspace.root, name, relative) };
      try {
        if (patienceMs > 0 && isUnfinished(file)) {
          release();
          patienceMs -= await giveTime(waiting);
          continue;
        }
        if (held === undefined) {
          const answer = withoutLock(calls, operation, target);
          if (answer !== undefined) return await answer;
          const lock = takeFileLock(waiting, relative);
          if (lock !== null) held = { lock, relative };
        }
        // What was opened before the lock was taken may since have been replaced by the last holder. Or a directory on
        // the way was moved, which cannot be seen from inside it: then this is no longer the file's lock.
        if (held?.relative === relative && (underLock || (!relative.includes('/') && stillNamesFile(file)))) {
          return await commitGroup(calls, operation, { ...target, lock: held.lock });
        }
      } finally {
        file.closeLater();
      }
      if (held === undefined) held = { lock: await waitForFileLock(waiting, relative), relative };
      // A link leads elsewhere since the lock was chosen: the lock of its new target is needed.
      else if (held.relative !== relative) release();
    }
  } finally {
    release();
  }
}

/** The answers of calls that write nothing, before anything is created for a lock; undefined if one may write. */
function withoutLock<Name extends OperationName>(
  calls: readonly Call<Name>[],
  operation: TextOperation<Name>,
  target: Omit<Target, 'lock'>,
): TaskAnswer | Promise<TaskAnswer> | undefined {
  const refused = target.file instanceof Absent ? refusals(calls, operation, target.file) : undefined;
  if (refused !== undefined) return refused;
  const isDry = calls.every(({ params }) => operation.isDry?.(params) === true);
  return isDry ? commitGroup(calls, operation, { ...target, lock: noLock }) : undefined;
}

/** The answers of calls that find no file, if none of them may create it. */
function refusals<Name extends OperationName>(
  calls: readonly Call<Name>[],
  operation: TextOperation<Name>,
  absent: Absent,
): TaskAnswer | undefined {
  const refused: Failure[] = [];
  for (const call of calls) {
    const made = orRefusal(() => operation.change(call, absent), call.context.lineBase);
    if ('text' in made) {
      // It is made again under the lock.
      made.text.release();
      return undefined;
    }
    refused.push(made);
  }
  return refused;
}

function isUnfinished(file: OpenFile | Absent): boolean {
  return !(file instanceof Absent) && mayBeUnfinished(file.stats);
}

function stillNamesFile(file: OpenFile | Absent): boolean {
  return !(file instanceof Absent) && isStillThere(file);
}

/**
 * Whether a name, with links on its way, still leads to the same place. Without links, that is in the name, and its
 * directory is looked at in any case.
 * @throws the system error if the system cannot tell
 */
function leadsTo(root: Root, name: string, relative: string): boolean {
  const plain = plainNames(name).join('/');
  if (plain === relative) return true;
  try {
    return oneSpelling(realpath(root.absolute(plain))) === oneSpelling(root.absolute(relative));
  } catch (error) {
    if (leadsNowhere.has(errnoOf(error))) return false;
    throw error;
  }
}

const leadsNowhere: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM']);

function relativeOf(file: OpenFile | Absent, name: string): string {
  return file instanceof Absent ? name : file.place.relative;
}

type Opening = Pick<TextOperation<OperationName>, 'open'>;

/** @throws OperationError if the file may not be used or not be written */
function openToWrite(operation: Opening, root: Root, name: string): OpenFile | Absent {
  const file = openOrMiss(operation, root, name);
  if (file instanceof Absent) return file;
  try {
    assertWritable(file.place, name);
  } catch (error) {
    file.close();
    throw error;
  }
  return file;
}

function openOrMiss(operation: Opening, root: Root, name: string): OpenFile | Absent {
  try {
    return operation.open(root, name) ?? new Absent();
  } catch (error) {
    if (!(error instanceof OperationError && error.failure.kind === 'not_found')) throw error;
    // The placeholder of a process that is moving something there, or of one that is dead.
    return new Absent(isPlaceholder(root.anchor.path(name)) ? undefined : error);
  }
}
