import type { Notice } from '../../../src/core/errors.js';
import { lstat, mkdir, rmdir } from '../calls.js';
import { assertStillInside, descend } from './descend.js';
import type { Directory } from './anchor.js';
import { closeSynced, openToSync, syncDirectory } from '../write/directory-sync.js';
import { changedMeanwhile, whileThere } from './path-errors.js';
import type { Root } from './root.js';
import { isSystemError, noticeOf } from '../system-error.js';
import type { Spot } from './walk.js';

interface Made {
  readonly in: Directory;
  readonly name: string;
  /** Undefined until it has been opened. */
  itself?: Directory;
}

/** The directories a new path needs. They are removed again if the operation fails. */
export class Parents {
  private readonly made: Made[] = [];
  private readonly opened: Directory[] = [];
  /** The directory that holds the last name of the path. */
  last: Directory;

  /** @param spot closed by its owner */
  constructor(
    private readonly root: Root,
    private readonly spot: Spot,
  ) {
    this.last = spot.parent;
  }

  /**
   * Make the missing directories. They are made in place rather than moved there when complete: a process killed midway
   * leaves empty directories, which a retry of the call uses.
   * @param synced whether they must survive a power failure
   * @throws OperationError as `descend`, modified_concurrently; the system error
   */
  make(synced: boolean, notices: Notice[]): void {
    for (const name of this.spot.missing) {
      const parent = this.last;
      assertStillInside(this.root, parent, this.spot.path);
      const made = whileThere(this.spot.path, () => this.makeIn(parent, name, synced, notices));
      const next = descend(this.root, parent, name, this.spot.path);
      if (next === null) throw changedMeanwhile(this.spot.path);
      this.opened.push(next);
      if (made !== undefined) made.itself = next;
      this.last = next;
    }
  }

  /** @returns undefined if something is there already */
  private makeIn(parent: Directory, name: string, synced: boolean, notices: Notice[]): Made | undefined {
    const directory = synced ? openToSync(this.root, parent.anchor.base) : undefined;
    try {
      const made = makeDirectory(parent.anchor.path(name), notices) ? { in: parent, name } : undefined;
      // Recorded before the next step, so it is removed too if that step fails.
      if (made !== undefined) this.made.push(made);
      if (directory !== undefined) syncDirectory(directory, notices);
      return made;
    } finally {
      if (directory !== undefined) closeSynced(directory);
    }
  }

  /** Remove the made directories that are still empty. */
  remove(notices: Notice[]): void {
    for (const { in: parent, name, itself } of this.made.reverse()) {
      try {
        const at = parent.anchor.path(name);
        if (itself === undefined || itself.anchor.isAt(at)) rmdir(at);
      } catch (error) {
        if (!isSystemError(error)) throw error;
        if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code)) continue;
        notices.push(noticeOf('A directory could not be removed', error));
      }
    }
  }

  close(): void {
    for (const directory of this.opened) directory.close();
  }
}

/** @returns false if something is there already */
function makeDirectory(at: string, notices: Notice[]): boolean {
  try {
    mkdir(at);
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code === 'EEXIST') return false;
    // It did not exist before.
    if (lstat(at)?.isDirectory() !== true) throw error;
    notices.push(noticeOf('A directory was reported as not made but is there', error));
    return true;
  }
}
