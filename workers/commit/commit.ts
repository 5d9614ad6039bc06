/**
 * The commit of a file's new text (spec 6), from top to bottom. Readers see either the old file or the new one,
 * whenever a process is killed or power fails: the text is staged in a temporary file, synced, and renamed into place;
 * then the directory is synced.
 */
import { oneSpelling } from '../../src/core/file-identity.js';
import { plainNames } from '../../src/core/names/path.js';
import { realpath } from '../disk/calls.js';
import { recorded, type Recording } from '../history/recording.js';
import { changeSynced, syncsDirectories } from '../disk/write/directory-sync.js';
import { isDirectoryInPlace } from '../disk/paths/parent.js';
import { removePlaceholder } from '../disk/paths/placeholder.js';
import { create, replace, type FileReplacement } from '../disk/write/put-in-place.js';
import type { Place } from '../disk/paths/open-file.js';
import type { Reserved } from '../disk/lock/reserved.js';
import { RootMoved, type Root } from '../disk/paths/root.js';
import { beginSync, changeSharingSync, othersGoOn, syncNow } from '../disk/write/shared-sync.js';
import { errnoOf, isSystemError } from '../disk/system-error.js';
import { stage, type Staged } from './stage.js';
import { discardTemporary } from '../disk/write/temporary-file.js';
import type { Version } from '../disk/write/version.js';
import { modifiedConcurrently, writeFailed } from '../disk/write/write-failed.js';
import { renewTime } from '../disk/write/write-whole.js';
import { cancelledBeforeCommit, type CallPhase } from '../progress.js';
import { Phase, type WorkerSetup } from '../../src/core/thread/task.js';
import { changeWhenLetGo } from '../let-go.js';

export interface Commit extends FileReplacement {
  readonly reserved: Reserved;
  readonly setup: Pick<WorkerSetup, 'durability' | 'umask' | 'sharesThread'>;
  /** The calls that made the text: either all are claimed, or nothing is written. */
  readonly calls: readonly CallPhase[];
  /** Whose mode, owner and attributes the text gets; undefined: those of the original. */
  readonly like?: Version | undefined;
  /** Undefined without --history. */
  readonly recording?: Recording | undefined;
}

/**
 * Replace or create a file, and make the answers of its calls during the sync, where that costs no time.
 * @param makeAnswers called before the calls are claimed; if it throws, nothing is written
 * @returns the answers
 * @throws OperationError write_failed, write_denied, modified_concurrently, not_durable; cancelled if a call was;
 *   internal if the outcome of the write is unknown; RootMoved; what `makeAnswers` throws, with nothing written
 */
export async function commitText<Answers>(commit: Commit, makeAnswers: () => Answers): Promise<Answers> {
  const { original, place, name, notices } = commit;
  // Under the path's lock, a placeholder can only be left over from a killed process.
  if (original === null) removePlaceholder(place.path);
  let staged: Staged | undefined;
  try {
    const { root, reserved, setup, text, like = original } = commit;
    staged = stage({ root, reserved, setup, original: like, directory: place.directory, text, notices });
    const answers = await sync(staged, commit, makeAnswers);
    const made = staged;
    await changeWhenLetGo(() => putInPlace(made, commit));
    return answers;
  } catch (error) {
    throw explain(error, name);
  } finally {
    if (staged !== undefined) discardTemporary(staged.temporary, notices);
  }
}

/** Sync the bytes to disk, and make the answers. */
async function sync<Answers>(
  { temporary: { fd } }: Staged,
  { text, setup, calls }: Commit,
  makeAnswers: () => Answers,
): Promise<Answers> {
  if (setup.durability === 'none') return makeAnswers();
  const syncing = beginSync(fd, text.length, setup.sharesThread);
  try {
    const answers = makeAnswers();
    if (syncing === undefined) syncNow(fd);
    else letOthersGoOn(calls);
    return answers;
  } finally {
    // The descriptor must stay open until the sync ends.
    await syncing;
  }
}

/** Rename the text to its file's name, and sync the directory. */
async function putInPlace(staged: Staged, commit: Commit): Promise<void> {
  const { root, place, name, setup, calls, recording, notices } = commit;
  const { directory } = place;
  const make = (): void => {
    renewTime(staged.temporary.fd, staged.written, notices);
    root.assertInPlace();
    assertMeant(root, place, name, commit.original === null);
    recorded(recording, () => {
      const { original } = commit;
      const kept = original === null ? null : (recording?.keepVersion(original) ?? original);
      claim(calls);
      if (kept === null) create(staged.temporary, commit);
      else replace(staged.temporary, kept, commit);
    });
  };
  const assertInPlace = (): void => {
    assertStaged(staged, commit);
  };
  if (syncsDirectories(setup) && (setup.sharesThread === true || othersGoOn())) {
    // After a synchronous sync the calls have not been advanced yet.
    letOthersGoOn(calls);
    await changeSharingSync({ directory, notices, assertInPlace, make, beside: () => recording?.unsynced ?? [] });
    return;
  }
  assertInPlace();
  changeSynced(root, syncsDirectories(setup) ? [directory] : [], notices, make, () => recording?.unsynced ?? []);
}

/** Another call may end the thread now: these calls must not be blamed for it. */
export function letOthersGoOn(calls: readonly CallPhase[]): void {
  for (const call of calls) call.advance(Phase.ready);
}

/**
 * Whether the staged file is still in its place. Checked after every wait: a path begins with a descriptor number
 * (anchor.ts), which may belong to another directory by then.
 * @throws RootMoved; OperationError modified_concurrently
 */
function assertStaged({ temporary, anchor }: Staged, { root, reserved, name, notices }: Commit): void {
  if (anchor !== root.anchor) throw new RootMoved('the working directory was moved');
  if (temporary.directory !== reserved.use(notices)) throw modifiedConcurrently(name);
}

/** Whether the name still leads to the file at a place. @throws OperationError modified_concurrently */
export function assertMeant(root: Root, place: Place, name: string, isNew = false): void {
  if (!isDirectoryInPlace(root, place.parent, place.directory)) throw modifiedConcurrently(name);
  if (!isNew && !leadsTo(root, name, place.relative)) throw modifiedConcurrently(name);
}

/**
 * Claim all calls or none. Check for cancellation first: a claim that is given up may cost its call the last chance to
 * be cancelled.
 * @throws OperationError cancelled
 */
export function claim(calls: readonly CallPhase[]): void {
  const isClaimed = !calls.some(({ cancelled }) => cancelled) && calls.every((each) => each.advance(Phase.claimed));
  if (!isClaimed) throw cancelledBeforeCommit();
}

/**
 * Whether a name with links on its way still leads to the same place. A name without links needs no look: its directory
 * is checked in any case.
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

/** What an error of a commit means. @param name of the file */
export function explain(error: unknown, name: string): unknown {
  if (!isSystemError(error)) return error;
  // Another program removed the reserved directory with the lock in it, or the directory that a link leads to, or put a
  // directory in place of the file.
  if (error.code === 'ENOENT' || error.code === 'EISDIR') return modifiedConcurrently(name);
  return error.code === 'EXDEV'
    ? writeFailed(error, { reason: `'${name}' is on another file system than --dir` })
    : writeFailed(error);
}
