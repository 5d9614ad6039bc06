import { constants } from 'node:fs';
import { sep } from 'node:path';
import { OperationError } from '../../../src/core/errors.js';
import { Anchor, placeIn } from './anchor.js';
import { access, realpath } from '../calls.js';
import type { Place } from './open-file.js';
import { errnoOf, isShortage } from '../system-error.js';

function isReadOnly(anchor: Anchor): boolean {
  try {
    access(anchor.path('.'), constants.W_OK);
    return false;
  } catch (error) {
    return errnoOf(error) === 'EROFS';
  }
}

/** At a directory that is moved, or swapped for a link, between two looks. */
const mostLooks = 4;

/** Thrown if the working directory was moved away during an operation, which then starts again, once. */
export class RootMoved extends Error {}

/** The working directory (spec 6): anchored when first needed, and again when another directory takes its place. */
export class Root {
  private current: Anchor | undefined;
  private canWrite: boolean | undefined;
  /** Called when the anchor is given up, to release what was opened below it. */
  onMoved: (() => void) | undefined;

  /** @param directory its real path, resolved once at the start */
  constructor(readonly directory: string) {}

  /**
   * Notice that the directory was replaced, and anchor on the new one. Only at the start of an operation and after a
   * wait: what was opened below the old anchor is useless afterwards.
   * @throws OperationError no_directory (404) or directory_denied (403); the system error of a shortage
   */
  refresh(): void {
    this.canWrite = undefined;
    if (this.current?.isAt(this.directory) === true) return;
    this.close();
    this.onMoved?.();
    this.current = this.open();
  }

  /** Give the anchor up, until the next `refresh`. */
  close(): void {
    this.current?.close();
    this.current = undefined;
  }

  /** Whether the file system below can be written. Looked up once after each refresh, when first asked for. */
  get writable(): boolean {
    this.canWrite ??= !isReadOnly(this.anchor);
    return this.canWrite;
  }

  /** The directory to work below. @throws RootMoved if there is none; call `refresh` first */
  get anchor(): Anchor {
    if (this.current === undefined) throw new RootMoved('the working directory is not anchored');
    return this.current;
  }

  /** Where a name directly in it is. */
  place(name: string): Place {
    return placeIn(this.anchor, '', name);
  }

  private open(): Anchor {
    try {
      const anchor = this.openInPlace();
      if (anchor !== undefined) return anchor;
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === undefined || isShortage(errnoOf(error))) throw error;
      const kind = errno === 'ENOENT' || errno === 'ENOTDIR' ? 'no_directory' : 'directory_denied';
      throw new OperationError(kind, 'Cannot access working directory', { data: { errno } });
    }
    throw new OperationError('directory_denied', 'Cannot access working directory', {
      details: 'A symbolic link has taken the place of the working directory; put the directory back.',
    });
  }

  /**
   * A link in the place of a parent must not lead elsewhere either. Asked of what was opened: where a parent was
   * swapped for a link and back all the time, one opening in seven that only looked before it led elsewhere, and then
   * stayed. What was opened may have been moved away since (1 of 80 runs of a test that replaces the directory 30 times):
   * then another look tells what is there now.
   * @returns undefined if there is a link on the way
   */
  private openInPlace(): Anchor | undefined {
    for (let look = 0; look < mostLooks && realpath(this.directory) === this.directory; look++) {
      const anchor = Anchor.open(this.directory);
      let inPlace = false;
      try {
        inPlace = anchor.realPath() === this.directory;
      } finally {
        if (!inPlace) anchor.close();
      }
      if (inPlace) return anchor;
    }
    return undefined;
  }

  /** Call before a commit. @throws RootMoved if the anchored directory is no longer at its path */
  assertInPlace(): void {
    if (this.current?.isAt(this.directory) !== true) throw new RootMoved('the working directory was moved');
  }

  /** Path below the root, with `/`, of an absolute real path; undefined if that is not inside. */
  relative(absolute: string): string | undefined {
    const prefix = this.directory.endsWith(sep) ? this.directory : this.directory + sep;
    return absolute.startsWith(prefix) ? absolute.slice(prefix.length).split(sep).join('/') : undefined;
  }

  /** The absolute path of one below the root: `relative` in reverse, looking at nothing. */
  absolute(relative: string): string {
    return this.directory.endsWith(sep) ? this.directory + relative : this.directory + sep + relative;
  }
}
