import { constants } from 'node:fs';
import { OperationError } from '../../../src/core/errors.js';
import type { Scope } from '../../../src/core/globs/scope.js';
import { Anchor, placeIn } from './anchor.js';
import { access, realpath } from '../calls.js';
import type { Place } from './open-file.js';
import { errnoOf, isShortage } from '../system-error.js';
import { namesBelow, pathBelow } from './system-path.js';

function isReadOnly(anchor: Anchor): boolean {
  try {
    access(anchor.path('.'), constants.W_OK);
    return false;
  } catch (error) {
    return errnoOf(error) === 'EROFS';
  }
}

/** Attempts on a directory that is moved, or swapped for a link, during each of them. */
const mostLooks = 4;

/** Thrown if the working directory was moved away during an operation, which is then retried once. */
export class RootMoved extends Error {}

/** What all views of the working directory share. */
interface Shared {
  anchor?: Anchor | undefined;
  canWrite?: boolean | undefined;
  /** Called when the anchor is given up, to release descriptors below it. */
  onMoved?: () => void;
}

/** The working directory (spec 6): anchored on first use, and again when another directory takes its place. */
export class Root {
  /**
   * @param directory its real path, resolved once at start-up
   * @param scope what callers may use of it; undefined: everything
   */
  constructor(
    readonly directory: string,
    private readonly shared: Shared = {},
    readonly scope?: Scope,
  ) {}

  /** A view of the same directory for callers who may use only a part of it. */
  within(scope: Scope): Root {
    return new Root(this.directory, this.shared, scope);
  }

  /** @param act called when the anchor is given up, to release descriptors below it */
  onMoved(act: () => void): void {
    this.shared.onMoved = act;
  }

  /**
   * Detect a replaced directory, and anchor on the new one. Only at the start of an operation and after a wait:
   * descriptors opened below the old anchor are useless afterwards.
   * @throws OperationError no_directory (404) or directory_denied (403); the system error of a shortage
   */
  refresh(): void {
    const { shared } = this;
    shared.canWrite = undefined;
    if (shared.anchor?.isAt(this.directory) === true) return;
    this.close();
    shared.onMoved?.();
    shared.anchor = this.open();
  }

  /** Give up the anchor until the next `refresh`. */
  close(): void {
    this.shared.anchor?.close();
    this.shared.anchor = undefined;
  }

  /** Whether the file system is writable. Checked at most once after each refresh, on first use. */
  get writable(): boolean {
    return (this.shared.canWrite ??= !isReadOnly(this.anchor));
  }

  /** The directory to work below. @throws RootMoved if there is none; call `refresh` first */
  get anchor(): Anchor {
    const { anchor } = this.shared;
    if (anchor === undefined) throw new RootMoved('the working directory is not anchored');
    return anchor;
  }

  /** The place of a name directly in it. */
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
   * A link in place of a parent must not redirect the anchor either. The opened directory itself is checked: with a
   * parent constantly swapped for a link and back, one in seven opens that checked only beforehand led elsewhere, and
   * stayed there. The opened directory may itself have been moved away (1 of 80 runs of a test that replaces the
   * directory 30 times): then another attempt finds the new one.
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
    if (this.shared.anchor?.isAt(this.directory) !== true) throw new RootMoved('the working directory was moved');
  }

  /** The path below the root, of an absolute real path; undefined if that is not inside. */
  relative(absolute: string): string | undefined {
    return namesBelow(this.directory, absolute);
  }

  /** The absolute path of one below the root: inverse of `relative`, without system calls. */
  absolute(relative: string): string {
    return pathBelow(this.directory, relative);
  }
}
