import { constants, type BigIntStats } from 'node:fs';
import { sep } from 'node:path';
import { OperationError } from '../../src/errors.js';
import { isSameFile } from '../../src/file-identity.js';
import { access, fstat, lstat, open, readlink, realpath } from './calls.js';
import { closeRead } from './close.js';
import { errnoOf, isShortage } from './system-error.js';

/** Linux: a descriptor only for walking, which needs no read permission. Node does not export the constant. */
const O_PATH = 0o10000000;
const anchored = process.platform === 'linux';

/**
 * A parent has become a file, may not be entered, or was on a mount that is dead: what is at the path is not the
 * directory.
 */
const outOfReach: ReadonlySet<string> = new Set(['ENOTDIR', 'EACCES', 'ELOOP', 'ESTALE', 'ENOTCONN']);

/** Flags that open a directory as an anchor, without following a link in the last component. */
const directoryFlags =
  (anchored ? O_PATH : constants.O_RDONLY) | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * A directory that stays the same directory whatever happens to its name. On Linux every path below it goes through
 * /proc/<pid>/fd (2 µs more per call; 3 by way of /proc/self), so that a parent swapped for a link cannot lead
 * elsewhere. Without /proc, paths are names, and what was opened is checked afterwards (confine.ts).
 */
export class Anchor {
  private opened: number | undefined;
  private holders = 1;

  private constructor(
    private readonly fd: number,
    /** What paths below this directory start with. */
    readonly base: string,
    readonly stats: BigIntStats,
  ) {}

  /** @throws the system error: ELOOP or ENOTDIR if `path` is a link, ENOENT if there is nothing */
  static open(path: string): Anchor {
    const fd = open(path, directoryFlags);
    try {
      const stats = fstat(fd);
      return new Anchor(fd, anchored ? `/proc/${String(process.pid)}/fd/${String(fd)}` : path, stats);
    } catch (error) {
      closeRead(fd);
      throw error;
    }
  }

  path(name: string): string {
    return this.base.endsWith('/') ? this.base + name : `${this.base}/${name}`;
  }

  /**
   * Whether `path`, with no link followed, still names this directory. @throws the system error if that cannot be told
   */
  isAt(path: string): boolean {
    try {
      return isSameFile(lstat(path), this.stats);
    } catch (error) {
      if (outOfReach.has(errnoOf(error) ?? '')) return false;
      throw error;
    }
  }

  /** The real path of this directory as it is now. @throws the system error */
  realPath(): string {
    return anchored ? readlink(this.base) : realpath(this.base);
  }

  /** A descriptor that can be synced, unlike one only for walking. Opened once: every edit needs it. */
  get readable(): number {
    this.opened ??= openReadable(this.base);
    return this.opened;
  }

  /** The directory with this name in it, in exchange for this one, which stays open if that fails. @throws as `open` */
  leaveFor(name: string): Anchor {
    const next = Anchor.open(this.path(name));
    this.close();
    return next;
  }

  /** Keep it open until one more `close`. */
  hold(): void {
    this.holders++;
  }

  /** Once for its opener and once for each that holds it. */
  close(): void {
    if (--this.holders > 0) return;
    closeRead(this.fd);
    if (this.opened !== undefined) closeRead(this.opened);
  }
}

/** @throws the system error */
export function openReadable(directory: string): number {
  return open(`${directory}/.`, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
}

function isReadOnly(anchor: Anchor): boolean {
  try {
    access(anchor.path('.'), constants.W_OK);
    return false;
  } catch (error) {
    return errnoOf(error) === 'EROFS';
  }
}

/** Thrown if the working directory was moved away during an operation, which then starts again, once. */
export class RootMoved extends Error {}

/** The working directory (contract 6): anchored when first needed, and again when another directory takes its place. */
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

  private open(): Anchor {
    try {
      const anchor = this.openInPlace();
      if (anchor !== undefined) return anchor;
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === undefined || isShortage(error)) throw error;
      const kind = errno === 'ENOENT' || errno === 'ENOTDIR' ? 'no_directory' : 'directory_denied';
      throw new OperationError(kind, 'Cannot access working directory', { data: { errno } });
    }
    throw new OperationError('directory_denied', 'Cannot access working directory', {
      details: 'A symbolic link has taken the place of the working directory; put the directory back.',
    });
  }

  /**
   * A link in the place of a parent must not lead elsewhere either. Asked of what was opened: where a parent was swapped
   * for a link and back all the time, one opening in seven that only looked before it led elsewhere, and then stayed.
   * @returns undefined if there is a link on the way
   */
  private openInPlace(): Anchor | undefined {
    if (realpath(this.directory) !== this.directory) return undefined;
    const anchor = Anchor.open(this.directory);
    let inPlace = false;
    try {
      inPlace = anchor.realPath() === this.directory;
    } finally {
      if (!inPlace) anchor.close();
    }
    return inPlace ? anchor : undefined;
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

  absolute(relative: string): string {
    return this.directory.endsWith(sep) ? this.directory + relative : this.directory + sep + relative;
  }
}
