import { constants, type BigIntStats } from 'node:fs';
import { isSameFile } from '../../../src/core/file-identity.js';
import { fstat, lstat, open, readlink, realpath } from '../calls.js';
import { closeRead } from '../close.js';
import type { Place } from './open-file.js';
import { errnoOf } from '../system-error.js';
import { platform } from '../../../src/core/platform.js';
import { pathBelow } from './system-path.js';

/** Linux: a descriptor only for walking, which needs no read permission. Node does not export the constant. */
const O_PATH = 0o10000000;
const anchored = platform.hasAnchoredPaths;

/**
 * A parent has become a file, may not be entered, or was on a dead mount: the path no longer leads to the directory.
 */
const outOfReach: ReadonlySet<string> = new Set(['ENOTDIR', 'EACCES', 'ELOOP', 'ESTALE', 'ENOTCONN']);

/** Flags that open a directory as an anchor, without following a link in the last component. */
const directoryFlags =
  (anchored ? O_PATH : constants.O_RDONLY) | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * A handle that stays on the same directory whatever happens to its name. On Linux every path below it goes through
 * /proc/<pid>/fd (2 µs more per call; 3 through /proc/self), so a parent swapped for a link cannot redirect it. Without
 * /proc, paths are names, and opened files are checked afterwards (confine.ts). Where an open directory blocks other
 * programs, it is not kept open either: its stats then show whether another has taken its name.
 */
export class Anchor {
  private opened: number | undefined;
  private holders = 1;

  private constructor(
    /** Undefined where no directory is kept open. */
    private readonly fd: number | undefined,
    /** Prefix of the paths below this directory. */
    readonly base: string,
    readonly stats: BigIntStats,
  ) {}

  /** @throws the system error: ELOOP or ENOTDIR if `path` is a link, ENOENT if there is nothing */
  static open(path: string): Anchor {
    const fd = open(path, directoryFlags);
    try {
      const stats = fstat(fd);
      if (platform.openDirectoriesAreHeld) {
        closeRead(fd);
        return new Anchor(undefined, path, stats);
      }
      return new Anchor(fd, anchored ? `/proc/${String(process.pid)}/fd/${String(fd)}` : path, stats);
    } catch (error) {
      closeRead(fd);
      throw error;
    }
  }

  /** The path of a name, or of several joined by `/`, below this directory. */
  path(name: string): string {
    return pathBelow(this.base, name);
  }

  /**
   * Whether `path` still names this directory, without following links. @throws the system error if that cannot be
   * determined
   */
  isAt(path: string): boolean {
    try {
      return isSameFile(lstat(path), this.stats);
    } catch (error) {
      if (outOfReach.has(errnoOf(error) ?? '')) return false;
      throw error;
    }
  }

  /** The stats of this directory now; by its descriptor, at half the time of a path. @throws the system error */
  look(): BigIntStats {
    // If it is gone, its old stats do: reading its entries fails anyway.
    return this.fd === undefined ? (lstat(this.base) ?? this.stats) : fstat(this.fd);
  }

  /** The current real path of this directory. @throws the system error */
  realPath(): string {
    return anchored ? readlink(this.base) : realpath(this.base);
  }

  /** A descriptor that can be fsynced, unlike an O_PATH one. Opened once, since every edit needs it. */
  get readable(): number {
    return (this.opened ??= openReadable(this.base));
  }

  /** Open that descriptor now, before it is needed. @throws the system error */
  openReadable(): void {
    this.opened ??= openReadable(this.base);
  }

  /** Open the subdirectory of this name and close this directory, which stays open on failure. @throws as `open` */
  leaveFor(name: string): Anchor {
    const next = Anchor.open(this.path(name));
    this.close();
    return next;
  }

  /** Keep it open until one more `close`. */
  hold(): void {
    this.holders++;
  }

  /** Call once for the opener and once for each holder. */
  close(): void {
    if (--this.holders > 0) return;
    if (this.fd !== undefined) closeRead(this.fd);
    if (this.opened !== undefined) closeRead(this.opened);
  }
}

/** @throws the system error */
export function openReadable(directory: string): number {
  return open(pathBelow(directory, '.'), constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
}

/** A directory at or below the root, held open. */
export class Directory {
  private constructor(
    readonly anchor: Anchor,
    /** Its real path below the root; '' is the root. */
    readonly relative: string,
  ) {}

  /** Held like any other: the root may be replaced while an operation still has something to remove in it. */
  static root({ anchor }: { readonly anchor: Anchor }): Directory {
    anchor.hold();
    return new Directory(anchor, '');
  }

  /** @throws the system error, as Anchor.open */
  static open(path: string, relative: string): Directory {
    return new Directory(Anchor.open(path), relative);
  }

  /** @param anchor open, and closed with it */
  static at(anchor: Anchor, relative: string): Directory {
    return new Directory(anchor, relative);
  }

  /** The place of a name in it. */
  place(name: string): Place {
    return placeIn(this.anchor, this.relative, name);
  }

  relativeOf(name: string): string {
    return below(this.relative, name);
  }

  close(): void {
    this.anchor.close();
  }
}

/** The place of a name in a directory. @param parent the directory's real path below the root; '' is the root */
export function placeIn(anchor: Anchor, parent: string, name: string): Place {
  return { relative: below(parent, name), path: anchor.path(name), directory: anchor.base, parent };
}

function below(parent: string, name: string): string {
  return parent === '' ? name : `${parent}/${name}`;
}
