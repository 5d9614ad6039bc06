/**
 * The commit of changes of several files (spec 14), from top to bottom. All new texts are staged in temporary files,
 * beside a record that says what goes where, and synced. Once the record has its name the changes are decided: this
 * call makes them or, if it is killed, the next writer or server does (record/). Until then, nothing outside the
 * reserved directory changes.
 */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError, unknownOutcome } from '../../src/core/errors.js';
import { Phase } from '../../src/core/thread/task.js';
import { ftruncate, lstat } from '../disk/calls.js';
import { finishAbandoned, isForeignRecord } from './record/abandoned.js';
import { assertChangeable, assertRemovable, mountPoints } from './record/changeable.js';
import { makeChanges, openDirectories, removeRecord, StepFailed } from './record/completion.js';
import type { Step } from './record/record.js';
import { recordSet } from '../history/change-set.js';
import type { FileLock } from '../disk/lock/lock.js';
import type { Anchor } from '../disk/paths/anchor.js';
import { RootMoved } from '../disk/paths/root.js';
import { isHeldOpen, isSystemError, noticeOf } from '../disk/system-error.js';
import { syncsDirectories, unlessExcused } from '../disk/write/directory-sync.js';
import { syncTogether } from '../disk/write/shared-sync.js';
import { changedByOthers, notWritten } from '../../src/core/failures.js';
import { recordName, reservedName } from '../../src/core/names/reserved-name.js';
import { heldOpen, modifiedConcurrently, outcomeUnknown, writeFailed } from '../disk/write/write-failed.js';
import { renewTime } from '../disk/write/write-whole.js';
import type { Context } from '../handler.js';
import { assertUnchanged, isOptional, oldPathOf, type Change } from './change.js';
import { claim, letOthersGoOn } from '../commit/commit.js';
import { commitAlone } from './commit-alone.js';
import { assertAdvanced, pauseAfter } from '../commit/file-lock.js';
import { nameRecord, removeOtherName } from './name-record.js';
import { withChangeNumber } from './with-change-number.js';
import { StagedChanges } from './staged-changes.js';
import { untilGone, untilLetGo } from '../let-go.js';

/**
 * Make the changes of a call, all or none.
 * @param changes at least one
 * @param lock of all their paths
 * @param makeAnswer called while the texts are synced; if it throws, nothing is written
 * @returns the answer
 * @throws OperationError write_failed, write_denied, modified_concurrently, cancelled, all with nothing changed;
 *   not_durable; modified_concurrently with `applied`, if another program has changed a file after the decision;
 *   internal if a change could not be made yet and is left to the next writer; RootMoved
 */
export async function commitChanges<Answer>(
  changes: readonly Change[],
  lock: FileLock,
  context: Context,
  makeAnswer: () => Answer,
): Promise<Answer> {
  const [only, other] = changes;
  if (only !== undefined && other === undefined && only.kind !== 'make' && !isOptional(only)) {
    try {
      return await commitAlone(only, lock, context, makeAnswer);
    } catch (error) {
      return withChangeNumber(only, () => {
        throw error;
      });
    }
  }
  const staged = new StagedChanges(changes, context);
  try {
    const answer = await syncTexts(staged, context, makeAnswer);
    await decide(staged, lock, context);
    await make(staged, context);
    return answer;
  } finally {
    staged.close();
  }
}

async function syncTexts<Answer>(
  { texts, file }: StagedChanges,
  { workspace: { setup }, progress }: Context,
  makeAnswer: () => Answer,
): Promise<Answer> {
  if (setup.durability === 'none') return makeAnswer();
  letOthersGoOn([progress]);
  const files = [...texts.map(({ temporary }) => temporary.fd), file.fd];
  const syncing = syncTogether('file_sync', files, setup.sharesThread);
  try {
    return makeAnswer();
  } finally {
    // The descriptors must stay open until the sync ends.
    await syncing;
  }
}

/** Give the record its name. Until then every file must be unchanged; afterwards there is no way back. */
async function decide(staged: StagedChanges, lock: FileLock, context: Context): Promise<void> {
  const { workspace, progress, notices } = context;
  const began = performance.now();
  while (!tryToDecide(staged, lock, context)) {
    // Another call is making its changes, or was killed while making them.
    assertAdvanced(progress, Phase.waiting);
    await sleep(pauseAfter(performance.now() - began));
    workspace.root.refresh();
    finishAbandoned(workspace, notices);
    assertAdvanced(progress, Phase.running);
    if (isForeignRecord(staged.reserved)) throw nameTaken();
  }
}

/** @returns false if another record has the name */
function tryToDecide(staged: StagedChanges, lock: FileLock, context: Context): boolean {
  const { workspace, progress, notices } = context;
  const { changes, texts, file, record, tree } = staged;
  const { root, reserved, setup } = workspace;
  if (staged.anchor !== root.anchor) throw new RootMoved('the working directory was moved');
  root.assertInPlace();
  if (staged.reserved !== reserved.use(notices) || !lock.isHeld()) throw modifiedConcurrently(changes[0]?.name ?? '');
  openDirectories(record, tree, syncsDirectories(setup));
  for (const { temporary, written } of texts) renewTime(temporary.fd, written, notices);
  const mounts = mountPoints();
  for (const change of changes) {
    if (isOptional(change)) continue;
    withChangeNumber(change, () => {
      assertDirectoriesChangeable(change, file.path);
      const old = oldPathOf(change);
      if (old !== undefined) assertRemovable(old.path, root.absolute(old.relative), mounts);
      assertUnchanged(change, root);
    });
  }
  const at = staged.reserved.path(recordName);
  if (lstat(at) !== undefined) return false;
  staged.keep();
  claim([progress]);
  staged.isDecided = nameRecord(file, at, context);
  if (staged.isDecided) removeOtherName(file, notices);
  return staged.isDecided;
}

/** @param temporary the path of a file in the reserved directory */
function assertDirectoriesChangeable(change: Change, temporary: string): void {
  const [first, target] = change.directories;
  if (first === undefined) return;
  // A file can be put into a directory only from the same mount.
  const isPut = change.kind === 'create' || change.kind === 'replace';
  assertChangeable(first, isPut ? temporary : undefined);
  const old = oldPathOf(change)?.path;
  if (target !== undefined) assertChangeable(target, old);
  // It holds the name of the directory above it.
  if (old !== undefined && leavesParent(change)) assertChangeable(old, undefined);
}

/** Whether a directory is moved into another one. */
function leavesParent(change: Change): boolean {
  if (change.kind !== 'move' || !change.seen.isDirectory()) return false;
  return dirname(change.from.relative) !== dirname(change.to.relative);
}

/** What has the record's name is not a record, so nobody will remove it. */
function nameTaken(): OperationError {
  const name = `${reservedName}/${recordName}`;
  return new OperationError('write_failed', notWritten(`something else is at ${name}`), {
    details: `Nothing was written. Remove ${name}, then retry.`,
  });
}

/** Make the changes, and remove the record once they are on disk. */
async function make(staged: StagedChanges, context: Context): Promise<void> {
  const { record, tree, reserved } = staged;
  const { workspace, notices } = context;
  const unsynced: OperationError[] = [];
  // The name of the reserved directory must be on disk, too, and what is kept before it is replaced.
  const { isUnsynced } = workspace.reserved;
  await syncDirectories([reserved, ...(isUnsynced ? [staged.anchor] : []), ...staged.keptIn], unsynced, context);
  workspace.reserved.isUnsynced = false;
  let left: readonly Step[];
  try {
    left = await untilLetGo(() => makeChanges(record, tree), isHeldOpenStep);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw outcomeUnknown(error);
    if (!error.undone) throw isHeldOpen(error.cause) ? unfinished(error, staged) : outcomeUnknown(error.cause);
    await takeBack(staged, context);
    throw failureOf(error, staged);
  }
  for (const batch of tree.directories.inBatches()) await syncDirectories(batch, unsynced, context);
  const [failed] = unsynced;
  // Otherwise the next writer syncs them, sees that all is done, and removes the record.
  if (failed !== undefined) throw failed;
  await tell(staged, left, context);
  try {
    removeRecord(record, tree);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    notices.push(noticeOf('The record of changes of several files could not be removed', error));
  }
  // A record that reappeared after a power failure could undo later changes.
  await syncDirectories([reserved], unsynced, context);
  const [late] = unsynced;
  if (late !== undefined) throw late;
  for (const step of record.steps) {
    const isGone = step.kind === 'remove' && step.ifEmpty === undefined;
    const place = isGone ? tree.directories.placeOf(step.path) : undefined;
    if (place !== undefined) await untilGone(place.path);
  }
  const [step] = left;
  if (step !== undefined) throw leftOut(staged.changeOf(step));
}

/** Write the line in the history. If that fails the record stays, and the next writer writes it. */
async function tell({ record, tree }: StagedChanges, left: readonly Step[], context: Context): Promise<void> {
  const { workspace, change } = context;
  const { history } = workspace;
  if (change === undefined) return;
  change.id = recordSet(history, record, left, false, tree.notices)?.id;
  const failed: OperationError[] = [];
  await syncAll(() => history.unsynced, failed, context);
  for (const each of failed) throw each;
}

/**
 * The changes are undone: nobody who finds the record may make them again. @throws OperationError internal otherwise
 */
async function takeBack({ record, tree, file, reserved }: StagedChanges, context: Context): Promise<void> {
  for (const batch of tree.directories.inBatches()) await syncDirectories(batch, [], context);
  try {
    removeRecord(record, tree);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    try {
      // Without its content, it decides nothing.
      ftruncate(file.fd, 0);
    } catch {
      throw outcomeUnknown(error);
    }
  }
  await syncDirectories([reserved], [], context);
}

/** @param failed receives a failure that counts: not_durable */
async function syncDirectories(
  directories: readonly Anchor[],
  failed: OperationError[],
  context: Context,
): Promise<void> {
  const { setup } = context.workspace;
  if (!syncsDirectories(setup)) return;
  // One that was made just now is opened here.
  await syncAll(() => directories.map(({ readable }) => readable), failed, context);
}

async function syncAll(
  open: () => readonly number[],
  failed: OperationError[],
  { workspace: { setup }, notices }: Context,
): Promise<void> {
  try {
    await syncTogether('directory_sync', open(), setup.sharesThread);
  } catch (error) {
    const counts = unlessExcused(error, notices);
    if (counts !== undefined) failed.push(counts);
  }
}

function isHeldOpenStep(error: unknown): boolean {
  return error instanceof StepFailed && isHeldOpen(error.cause);
}

/** Some changes are made; the others need a file that another program has open. The next writer continues. */
function unfinished(error: StepFailed, staged: StagedChanges): unknown {
  const told = failureOf(error, staged);
  if (!(told instanceof OperationError)) return told;
  const { kind, message, data } = told.failure;
  return new OperationError(kind, message, {
    details:
      'Some changes of this call are made. The others follow with the next write, or when a server starts, once the file is closed: do not send them again.',
    data: { ...data, ...unknownOutcome.data },
  });
}

function failureOf(failed: StepFailed, staged: StagedChanges): unknown {
  const { step } = failed;
  const cause = isSystemError(failed.cause) && isHeldOpen(failed.cause) ? heldOpen(failed.cause) : failed.cause;
  try {
    if (step !== undefined) {
      withChangeNumber(staged.changeOf(step), () => {
        throw cause;
      });
    }
    return isSystemError(cause) ? writeFailed(cause) : cause;
  } catch (error) {
    return error;
  }
}

function leftOut({ number, name }: Change): OperationError {
  return new OperationError('modified_concurrently', changedByOthers(name), {
    details:
      'The other changes of this call are made; this file stays as another program left it at the last moment. Look at it, then send its change again.',
    data: { path: name, ...(number === undefined ? {} : { change: number }), applied: true },
  });
}
