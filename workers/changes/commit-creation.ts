import { OperationError } from '../../src/core/errors.js';
import type { FileLock } from '../disk/lock/lock.js';
import { Parents } from '../disk/paths/parents.js';
import type { Spot } from '../disk/paths/walk.js';
import { syncsDirectories } from '../disk/write/directory-sync.js';
import type { Recording } from '../history/recording.js';
import type { Version } from '../disk/write/version.js';
import type { Context } from '../handler.js';
import type { Text } from '../text/scattered-text.js';
import { commitText } from '../commit/commit.js';

/** A new file, at a place that was empty when checked under the lock. */
interface NewFile {
  readonly spot: Spot;
  readonly text: Text;
  /** Whose mode, owner and attributes it gets; undefined: those of a new file. */
  readonly original?: Version;
}

/**
 * Create a file with the directories that it needs, which are removed again if that fails.
 * @param makeAnswer called while the text is synced; if it throws, nothing is written
 * @returns the answer
 * @throws OperationError as commitText, and those of `Parents`
 */
export async function commitCreation<Answer>(
  { spot, text, original: like }: NewFile,
  lock: FileLock,
  { workspace: { root, reserved, setup }, progress, notices }: Context,
  makeAnswer: () => Answer,
  recording?: Recording,
): Promise<Answer> {
  const parents = new Parents(root, spot);
  let done = false;
  try {
    parents.make(syncsDirectories(setup), notices);
    const place = parents.last.place(spot.name);
    const name = spot.path;
    const file = { place, original: null, like, text, name };
    const answer = await commitText(
      { root, reserved, setup, lock, ...file, calls: [progress], recording, notices },
      makeAnswer,
    );
    done = true;
    return answer;
  } catch (error) {
    done = error instanceof OperationError && error.failure.kind === 'not_durable';
    throw error;
  } finally {
    if (!done) parents.remove(notices);
    parents.close();
  }
}
