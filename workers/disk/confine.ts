import { constants, type BigIntStats } from 'node:fs';
import { OperationError, type FailureData } from '../../src/errors.js';
import { isSameFile } from '../../src/file-identity.js';
import { access, fstat, lstat, open, realpath } from './calls.js';
import { closeLater, closeRead } from './close.js';
import { resolveLink } from './link.js';
import { Anchor, type Root } from './root.js';
import { errnoOf, isSystemError } from './system-error.js';

/** O_NONBLOCK: do not wait for the other end of a FIFO. O_NOCTTY: do not let a terminal take over the process. */
const readFlags =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Where a file is, links resolved, inside the working directory. */
export interface Place {
  /** Path below the working directory, with `/`: identifies the file for locks, whatever name was used. */
  readonly relative: string;
  /** Path for system calls; its directory cannot be swapped. */
  readonly path: string;
  /** Path of the directory that holds the file, for syncing it. */
  readonly directory: string;
}

/** A regular file, open for reading. */
export interface OpenFile {
  readonly fd: number;
  readonly stats: BigIntStats;
  readonly place: Place;
  close(): void;
  /** Once the answer is on its way (close.ts). @param othersHaveWork whether this thread has something else to do */
  closeLater(othersHaveWork: boolean): void;
}

const denied = (name: string, more: { details?: string; data?: FailureData } = {}): OperationError =>
  new OperationError('permission_denied', `Permission denied accessing '${name}'`, more);

const notRegular = (name: string): OperationError =>
  new OperationError('not_a_regular_file', `'${name}' is not a regular file`);

/**
 * Open the regular file behind a flat name, also through a symbolic link that stays inside.
 *
 * The kernel never follows a link here: realpath says where it should lead, then every component is opened from the one
 * before it without following links. So a link that is swapped meanwhile ends the walk instead of leading out. Contract
 * 5.5 and 6.
 * @param name a name that section 3 allows
 * @returns null if nothing has that name
 * @throws OperationError permission_denied, not_a_regular_file, not_found (a dangling link); the system error if the
 *   system fails, since only the caller knows whether that ends a read or an edit
 */
export function openRegular(root: Root, name: string): OpenFile | null {
  const anchor = root.anchor;
  const direct: Place = { relative: name, path: anchor.path(name), directory: anchor.base };
  let opened = tryOpen(direct, name);
  // A link that changes under every look is hostile or hopeless: it is refused after four.
  for (let look = 0; opened === 'link' && look < 4; look++) opened = openBehindLink(root, name);
  if (opened === 'link')
    throw denied(name, { details: 'A symbolic link on the way to the file keeps changing; use a plain file.' });
  return opened;
}

/**
 * @param name for messages
 * @param parent closed together with the file
 * @returns null if nothing is there, 'link' if a symbolic link is
 * @throws OperationError permission_denied, not_a_regular_file; the system error
 */
export function tryOpen(place: Place, name: string, parent?: Pick<LinkTarget, 'close'>): OpenFile | 'link' | null {
  let fd: number;
  try {
    // Without the flag (Windows) open would follow a link, so look first.
    if (constants.O_NOFOLLOW === undefined && isLink(place.path)) return 'link';
    fd = openToRead(place);
  } catch (error) {
    return explain(error, place, name);
  }
  try {
    const stats = fstat(fd);
    if (!stats.isFile()) throw notRegular(name);
    return {
      fd,
      stats,
      place,
      close: () => {
        closeRead(fd);
        parent?.close();
      },
      closeLater: (othersHaveWork) => {
        closeLater(fd, stats.size, othersHaveWork);
        parent?.close();
      },
    };
  } catch (error) {
    closeRead(fd);
    throw error;
  }
}

/**
 * A descriptor for reading what is there; links are not followed where the system can tell. @throws the system error
 */
export function openToRead({ path }: Place): number {
  return open(path, readFlags);
}

function isLink(path: string): boolean {
  return lstat(path)?.isSymbolicLink() === true;
}

/** What a failed open means. The type of a file outranks its permissions, so what cannot be opened is looked at. */
function explain(error: unknown, place: Place, name: string): 'link' | null {
  const errno = errnoOf(error);
  if (errno === 'ENOENT') return null;
  if (errno === 'ELOOP' || errno === 'EMLINK') return 'link';
  if (errno === 'ENXIO') throw notRegular(name);
  if (!isSystemError(error)) throw error;
  const seen = look(place.path);
  if (seen?.isSymbolicLink() === true) return 'link';
  if (seen !== undefined && !seen.isFile()) throw notRegular(name);
  if (errno === 'EACCES' || errno === 'EPERM') throw denied(name, { data: { errno } });
  throw error;
}

/** The regular file that a symbolic link in the working directory leads to. */
interface LinkTarget {
  readonly place: Place;
  close(): void;
}

/**
 * Where a link leads, with its directory held open.
 * @returns null if something on the way changed while looking
 * @throws OperationError not_found (dangling), permission_denied (outside, reserved, loop); any system error that tells
 *   nothing about the link
 */
export function followLink(root: Root, name: string): LinkTarget | null {
  return openParent(root, resolveInside(root, name));
}

/** It is no longer a directory, or lies behind one that may not be entered. */
const otherNow = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENAMETOOLONG', 'EINVAL', 'EACCES', 'EPERM'];

/**
 * The place of a real path below the working directory, with its directory held open; no link on the way is followed.
 * @param relative not empty
 * @returns null if something on the way is no longer what it was when the path was resolved
 * @throws any system error that tells nothing about the path
 */
export function openParent(root: Root, relative: string): LinkTarget | null {
  const anchor = root.anchor;
  const components = relative.split('/');
  const leaf = components.pop() ?? '';
  let parent: Anchor | undefined;
  try {
    for (const component of components) {
      const next = Anchor.open((parent ?? anchor).path(component));
      parent?.close();
      parent = next;
    }
  } catch (error) {
    parent?.close();
    // Whatever it was when realpath looked, it is something else now.
    if (otherNow.includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
  const directory = parent ?? anchor;
  return {
    place: { relative, path: directory.path(leaf), directory: directory.base },
    close: () => parent?.close(),
  };
}

/** Undefined also if this process may not look: the open has failed already and said why. */
function look(path: string): BigIntStats | undefined {
  try {
    return lstat(path);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

function openBehindLink(root: Root, name: string): OpenFile | 'link' {
  const target = followLink(root, name);
  if (target === null) return 'link';
  let opened: OpenFile | 'link' | null = null;
  try {
    opened = tryOpen(target.place, name, target);
    if (opened !== null && opened !== 'link' && !isStillInside(root, opened)) {
      closeRead(opened.fd);
      opened = 'link';
    }
  } finally {
    if (opened === null || opened === 'link') target.close();
  }
  // Gone between the two looks: by now it is a dangling link, as the next look will find.
  return opened ?? 'link';
}

/**
 * Without /proc the walk goes by names, so a directory could have been swapped for a link and back: what was opened
 * must be what the real path names now. A weaker promise than on Linux, and documented as such.
 */
export function isStillInside(root: Root, file: OpenFile): boolean {
  if (process.platform === 'linux') return true;
  const expected = root.absolute(file.place.relative);
  if (realpath(expected) !== expected) return false;
  return isSameFile(lstat(expected), file.stats);
}

/** Where a link leads, as a path below the root. @throws OperationError not_found (dangling), permission_denied */
function resolveInside(root: Root, name: string): string {
  const { relative, problem, errno } = resolveLink(root, name);
  if (problem === undefined && relative === '') throw notRegular(name);
  if (problem === undefined) return relative;
  switch (problem) {
    case 'dangling':
      throw new OperationError('not_found', `File '${name}' not found`, {
        details: 'It is a symbolic link whose target does not exist; use another name or have the link mended.',
      });
    case 'loop':
      throw denied(name, { details: 'It is a symbolic link in a loop; use another name or have it mended.' });
    case 'denied':
      throw denied(name, errno === undefined ? {} : { data: { errno } });
    case 'outside':
      throw denied(name, {
        details: 'It is a symbolic link that leads outside the working directory; use a file inside it.',
      });
    case 'reserved':
      throw denied(name, {
        details: 'It is a symbolic link into the directory reserved for the server; use another file.',
      });
  }
}

/** @throws OperationError permission_denied if this process may not write the file (mode, ACL, attributes) */
export function assertWritable(place: Place, name: string): void {
  try {
    access(place.path, constants.W_OK);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EACCES' || errno === 'EPERM') throw denied(name, { data: { errno } });
    if (errno !== 'ENOENT') throw error;
  }
}
