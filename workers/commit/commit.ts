/**
 * The commit of a file's new text (spec 6), from top to bottom. Everyone sees either the old file or the new one, whatever
 * is killed or loses power when: the text is staged in a temporary file, synced, and put in place in one step, whose
 * directory is synced then.
 */
import { oneSpelling } from '../../src/core/file-identity.js';
import { plainNames } from '../../src/core/names/path.js';
import type { Anchor } from '../disk/paths/anchor.js';
import { realpath } from '../disk/calls.js';
import { changeSynced } from '../disk/write/directory-sync.js';
import { copyMetadata, setNewMode } from '../disk/metadata/metadata.js';
import { isDirectoryInPlace } from '../disk/paths/parent.js';
import { removePlaceholder } from '../disk/paths/placeholder.js';
import { create, replace, type FileReplacement } from '../disk/write/put-in-place.js';
import type { Reserved } from '../disk/lock/reserved.js';
import { RootMoved, type Root } from '../disk/paths/root.js';
import { beginSync, changeSharingSync, othersGoOn, syncNow } from '../disk/write/shared-sync.js';
import { errnoOf, isSystemError } from '../disk/system-error.js';
import { createTemporary, discardTemporary, type TemporaryFile } from '../disk/write/temporary-file.js';
import { modifiedConcurrently, writeFailed } from '../disk/write/write-failed.js';
import { renewTime, writeWhole, type Written } from '../disk/write/write-whole.js';
import { cancelledBeforeCommit, type Stages } from '../progress.js';
import { Stage, type WorkerSetup } from '../../src/core/thread/task.js';

export interface Commit extends FileReplacement {
  readonly reserved: Reserved;
  readonly setup: Pick<WorkerSetup, 'durability' | 'umask' | 'sharesThread'>;
  /** The calls that have made the text: all of them are claimed, or nothing is written. */
  readonly calls: readonly Stages[];
}

/**
 * Replace a file by a text, or create it, and make the answers of its calls while it is on its way to the disk: that
 * takes no time then.
 * @param makeAnswers is called before the calls are claimed; what it throws stops the commit
 * @returns the answers
 * @throws OperationError write_failed, write_denied, modified_concurrently, not_durable; cancelled if a call was;
 *   internal if nobody can tell whether it was written; RootMoved; what `makeAnswers` throws, with nothing written
 */
export async function commitText<Answers>(commit: Commit, makeAnswers: () => Answers): Promise<Answers> {
  const { original, place, name, notices } = commit;
  // Under the lock of its path, a placeholder can only be one that a killed process has left.
  if (original === null) removePlaceholder(place.path);
  let staged: Staged | undefined;
  try {
    staged = stage(commit);
    const answers = await sync(staged, commit, makeAnswers);
    await putInPlace(staged, commit);
    return answers;
  } catch (error) {
    throw explain(error, name);
  } finally {
    if (staged !== undefined) discardTemporary(staged.temporary, notices);
  }
}

/** A text that is ready to take the name of its file. */
interface Staged {
  readonly temporary: TemporaryFile;
  readonly written: Written;
  /** The working directory in which it is. */
  readonly anchor: Anchor;
}

/** A temporary file with all bytes of the text and with the mode, owner and attributes that the file will have. */
function stage({ root, reserved, place, original, text, setup, notices }: Commit): Staged {
  const { anchor } = root;
  const temporary = createTemporary(reserved.use(notices), notices);
  try {
    const written = writeWhole(temporary.fd, text);
    if (original === null) setNewMode(temporary, place.directory, setup.umask, notices);
    else copyMetadata(original, temporary, notices);
    return { temporary, written, anchor };
  } catch (error) {
    discardTemporary(temporary, notices);
    throw error;
  }
}

/** The bytes are on the disk, and the answers are made. */
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
    // The descriptor must stay open until then.
    await syncing;
  }
}

/** The text takes the name of its file, and the directory is synced. */
async function putInPlace(staged: Staged, commit: Commit): Promise<void> {
  const { root, place, setup, calls, notices } = commit;
  const { directory } = place;
  const make = (): void => {
    renewTime(staged.temporary.fd, staged.written, notices);
    assertMeant(commit);
    claim(calls);
    if (commit.original === null) create(staged.temporary, commit);
    else replace(staged.temporary, commit.original, commit);
  };
  const assertInPlace = (): void => {
    assertStaged(staged, commit);
  };
  if (setup.durability === 'full' && (setup.sharesThread === true || othersGoOn())) {
    // The file may have been synced on the spot: then nobody has been told yet.
    letOthersGoOn(calls);
    await changeSharingSync({ directory, notices, assertInPlace, make });
    return;
  }
  assertInPlace();
  if (setup.durability === 'full') changeSynced(root, [directory], notices, make);
  else make();
}

/** One of them may end the thread: these calls are not to blame then. */
function letOthersGoOn(calls: readonly Stages[]): void {
  for (const call of calls) call.advance(Stage.ready);
}

/**
 * Whether what was staged is where it was. Asked after every wait: a path begins with the number of a descriptor
 * (anchor.ts), which may belong to another directory by then.
 * @throws RootMoved; OperationError modified_concurrently
 */
function assertStaged({ temporary, anchor }: Staged, { root, reserved, name, notices }: Commit): void {
  if (anchor !== root.anchor) throw new RootMoved('the working directory was moved');
  if (temporary.directory !== reserved.use(notices)) throw modifiedConcurrently(name);
}

/** Whether the file is still what its name means. @throws RootMoved; OperationError modified_concurrently */
function assertMeant({ root, place, original, name }: Commit): void {
  root.assertInPlace();
  if (!isDirectoryInPlace(root, place.parent, place.directory)) throw modifiedConcurrently(name);
  if (original !== null && !leadsTo(root, name, place.relative)) throw modifiedConcurrently(name);
}

/**
 * All or none. First looked at, then claimed: giving a claim up again may cost its call the last chance to be cancelled.
 * @throws OperationError cancelled
 */
function claim(calls: readonly Stages[]): void {
  const isClaimed = !calls.some(({ cancelled }) => cancelled) && calls.every((each) => each.advance(Stage.claimed));
  if (!isClaimed) throw cancelledBeforeCommit();
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

function explain(error: unknown, name: string): unknown {
  if (!isSystemError(error)) return error;
  // Someone has removed the reserved directory, with the lock in it, or the directory that a link leads to, or has put a
  // directory in the place of the file.
  if (error.code === 'ENOENT' || error.code === 'EISDIR') return modifiedConcurrently(name);
  return error.code === 'EXDEV'
    ? writeFailed(error, { reason: `'${name}' is on another file system than --dir` })
    : writeFailed(error);
}
