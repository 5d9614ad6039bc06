/** Finds out what the system would refuse, before changes of several files are decided: afterwards it is too late. */
import { constants, renameSync, rmdirSync } from 'node:fs';
import { OperationError } from '../../../src/core/errors.js';
import { notWritten } from '../../../src/core/failures.js';
import { mountsIn } from '../../../src/core/mounts.js';
import { access, lstat, readText } from '../calls.js';
import { errnoOf, orUndefined } from '../system-error.js';
import { platform } from '../../../src/core/platform.js';
import { pathBelow } from '../paths/system-path.js';

/**
 * That entries of a directory may be changed.
 * @param directory anchored
 * @param file one that is to be moved there
 * @throws the system error: EACCES, EROFS; EXDEV for another file system, or the same one mounted again
 */
export function assertChangeable(directory: string, file: string | undefined): void {
  access(pathBelow(directory, '.'), constants.W_OK);
  if (!platform.tellsRefusals || file === undefined) return;
  try {
    // The kernel compares the mounts first, and then refuses this name in any case.
    renameSync(file, pathBelow(directory, '.'));
  } catch (error) {
    if (errnoOf(error) === 'EXDEV') throw error;
  }
}

/**
 * That a file or link may be removed, replaced or moved: it may be immutable, another user's in a directory with the
 * sticky bit, or a mount point, as files in a container may be.
 * @param path anchored
 * @param absolute the same, from the root of the file system
 * @param mounts as `mountPoints` finds them
 * @throws the system error; OperationError write_failed
 */
export function assertRemovable(path: string, absolute: string, mounts: ReadonlySet<string>): void {
  if (mounts.has(absolute)) {
    throw new OperationError('write_failed', notWritten('the file is a mount point'), { data: { errno: 'EBUSY' } });
  }
  if (!platform.tellsRefusals || lstat(path)?.isDirectory() !== false) return;
  try {
    // The kernel checks the rights first, and then refuses what is no directory.
    rmdirSync(path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EPERM' || errno === 'EACCES') throw error;
  }
}

/** The absolute paths that file systems are mounted at; none where there is no /proc. */
export function mountPoints(): ReadonlySet<string> {
  const mountinfo = platform.hasProc ? orUndefined(() => readText('/proc/self/mountinfo')) : undefined;
  return new Set(mountsIn(mountinfo ?? '').map(({ point }) => point));
}
