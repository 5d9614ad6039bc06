/** Finds out what the system would refuse, before changes of several files are decided: afterwards it is too late. */
import { constants, renameSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { OperationError } from '../../../src/core/errors.js';
import { notWritten } from '../../../src/core/failures.js';
import { mountsIn } from '../../../src/core/mounts.js';
import { access, lstat, open, readText, toReadAndWriteAny } from '../../disk/calls.js';
import { closeRead } from '../../disk/close.js';
import { errnoOf, orUndefined } from '../../disk/system-error.js';
import { platform } from '../../../src/core/platform.js';
import { pathBelow } from '../../disk/paths/system-path.js';

/**
 * Check that entries of a directory may be changed.
 * @param directory anchored
 * @param file to be moved there
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
 * Check that a file or link may be removed, replaced or moved: it may be immutable, append-only, another user's in a
 * sticky directory, or a mount point, as files in a container may be. The check never risks removing anything, so the
 * system may still refuse later: an append-only directory, an immutable link, an append-only file that may not be
 * opened, a security module, or the server of a remote file system.
 * @param path anchored
 * @param absolute the same, from the root of the file system
 * @param mounts as `mountPoints` finds them
 * @throws the system error; OperationError write_denied, write_failed
 */
export function assertRemovable(path: string, absolute: string, mounts: ReadonlySet<string>): void {
  if (mounts.has(absolute)) {
    throw new OperationError('write_failed', notWritten('the file is a mount point'), { data: { errno: 'EBUSY' } });
  }
  const stats = platform.tellsRefusals ? lstat(path) : undefined;
  if (stats === undefined || stats.isDirectory()) return;
  const directory = lstat(pathBelow(dirname(path), '.'));
  if (directory !== undefined && isKeptByOwners(directory) && !actsFor(stats.uid, directory.uid)) {
    throw new OperationError('write_denied', notWritten('only its owner may remove the file'), {
      data: { errno: 'EPERM' },
    });
  }
  if (stats.isFile()) assertNoFlags(path);
}

/** The sticky bit: only the owners of an entry and of the directory may remove the entry. */
function isKeptByOwners({ mode }: BigIntStats): boolean {
  return (Number(mode) & 0o1000) !== 0;
}

/** The bit of CAP_FOWNER: its holder counts as the owner of every file. */
const ownerOfAll = 1n << 3n;

function actsFor(...owners: readonly bigint[]): boolean {
  if (owners.includes(BigInt(process.geteuid?.() ?? -1))) return true;
  const status = orUndefined(() => readText('/proc/thread-self/status')) ?? '';
  const [, rights = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  return (BigInt(`0x${rights}`) & ownerOfAll) !== 0n;
}

/** Opens the file for writing, which changes nothing: access(2) does not report append-only files. */
function assertNoFlags(path: string): void {
  try {
    closeRead(open(path, toReadAndWriteAny));
  } catch (error) {
    // EACCES proves nothing: a user who may not write a file may still remove it.
    if (errnoOf(error) === 'EPERM') throw error;
  }
}

/** The absolute paths of all mount points; none without /proc. */
export function mountPoints(): ReadonlySet<string> {
  const mountinfo = platform.hasProc ? orUndefined(() => readText('/proc/self/mountinfo')) : undefined;
  return new Set(mountsIn(mountinfo ?? '').map(({ point }) => point));
}
