import type { Notice } from '../../src/errors.js';
import type { WorkerSetup } from '../task.js';
import type { Text } from '../text/scattered-text.js';
import type { Place } from './open-file.js';
import type { FileLock } from './lock.js';
import { copyMetadata, setNewMode } from './metadata.js';
import { putInPlace } from './put-in-place.js';
import type { Reserved } from './reserved.js';
import { RootMoved, type Root } from './root.js';
import { changeSharingSync, syncFile, type Meanwhile } from './shared-sync.js';
import { isSystemError } from './system-error.js';
import { closeRenamed, createTemporary, discardTemporary, type TemporaryFile } from './temporary-file.js';
import type { Version } from './version.js';
import { modifiedConcurrently, writeFailed } from './write-failed.js';
import { renewTime } from './write-time.js';
import { writeWhole, type Written } from './write-whole.js';

export interface Write {
  readonly root: Root;
  readonly reserved: Reserved;
  readonly lock: FileLock;
  readonly place: Place;
  /** The file as it was read under the lock; null if there is none and one is to be created. */
  readonly original: Version | null;
  readonly text: Text;
  readonly durability: WorkerSetup['durability'];
  readonly umask: number;
  /** Whether the caller's name for it still leads there; asked right before the claim. Always, if absent. */
  readonly isMeant?: () => boolean;
  /** Moves the call to `claimed`; false if it was cancelled: then nothing may be written. */
  readonly claim: () => boolean;
  /**
   * `work` is called before the claim, and what it throws stops the write. `rest` is called if other calls of the thread
   * go on while the file is synced: if one of them ends the thread, this one survives.
   */
  readonly meanwhile: Meanwhile;
  readonly notices: Notice[];
}

/**
 * Replace a file by `text` so that everyone sees either the old file or the new one, whatever is killed or loses power
 * when: a synced temporary file is renamed over it (spec 6).
 * @param name the file's name as the caller knows it, for messages
 * @throws OperationError write_failed, write_denied, modified_concurrently, not_durable; cancelled if the claim was
 *   refused; internal if nobody can tell whether it was written; RootMoved; what `meanwhile` throws, with nothing written
 */
export async function writeAtomically(write: Write, name: string): Promise<void> {
  const { root, reserved, place, text, durability, meanwhile, notices } = write;
  let temporary: TemporaryFile | undefined;
  let renamed = false;
  try {
    const [anchor, own] = [root.anchor, reserved.use(notices)];
    const created = createTemporary(own, notices);
    temporary = created;
    const written = fill(created, write);
    if (durability === 'none') meanwhile.work();
    else await syncFile(created.fd, text.length, meanwhile);
    const assertInPlace = (): void => {
      if (anchor !== root.anchor) throw new RootMoved('the working directory was moved');
      if (own !== reserved.use(notices)) throw modifiedConcurrently(name);
    };
    const make = (): void => {
      renewTime(created.fd, written.stats, written.lastWriteBegan, notices);
      putInPlace(created, write, name);
      renamed = true;
    };
    if (durability === 'full') {
      const { rest } = meanwhile;
      await changeSharingSync({ root, directory: place.directory, notices, assertInPlace, rest, make });
    } else {
      assertInPlace();
      make();
    }
  } catch (error) {
    throw explain(error, name);
  } finally {
    // After a replacement the temporary name is gone; after a creation it is a second link to the file and goes now.
    if (temporary !== undefined && renamed && write.original !== null) closeRenamed(temporary, notices);
    else if (temporary !== undefined) discardTemporary(temporary, notices);
  }
}

/** Write the text, and give the file what it needs to take the name. */
function fill(temporary: TemporaryFile, { place, text, original, umask, notices }: Write): Written {
  const written = writeWhole(temporary.fd, text);
  if (original === null) setNewMode(temporary, place.directory, umask, notices);
  else copyMetadata(original, temporary, notices);
  return written;
}

function explain(error: unknown, name: string): unknown {
  if (!isSystemError(error)) return error;
  // Someone has removed the reserved directory, with the lock in it, or the directory that a link leads to, or has put a
  // directory in the place of the file.
  if (error.code === 'ENOENT' || error.code === 'EISDIR') return modifiedConcurrently(name);
  return error.code === 'EXDEV'
    ? writeFailed(error, { reason: `'${name}' is on another file system than --dir` })
    : writeFailed(error);
}
