/**
 * A directory that moves takes every path below it along, and with the paths the locks that guard them. So whoever writes
 * in a subdirectory shares the lock of the tree meanwhile, and whoever moves a directory holds it alone. What lies in the
 * working directory itself cannot be moved like that, and needs none of it.
 */
import type { Notice } from '../../src/errors.js';
import { tryAll, tryLockFile, type FileLock } from './lock.js';
import type { Reserved } from './reserved.js';

const tree = 'tree.lock';
/** Held alone by who waits to move a directory: writers that come and go would keep him waiting for ever. */
const gate = 'gate.lock';

/** Take the tree, shared, and then what `attempt` takes: both or neither. @returns null if either is held by others */
export function withTree(reserved: Reserved, attempt: () => FileLock | null, notices: Notice[]): FileLock | null {
  const passed = tryLockFile(reserved, gate, notices, true);
  if (passed === null) return null;
  try {
    return tryAll([() => tryLockFile(reserved, tree, notices, true), attempt], notices);
  } finally {
    const notice = passed.release();
    if (notice !== undefined) notices.push(notice);
  }
}

/** Keep new writers out, until it is released. @returns null if another does */
export function closeGate(reserved: Reserved, notices: Notice[]): FileLock | null {
  return tryLockFile(reserved, gate, notices);
}

/** Take the tree alone, behind the closed gate, and then what `attempt` takes. @returns null if either is held by others */
export function withWholeTree(reserved: Reserved, attempt: () => FileLock | null, notices: Notice[]): FileLock | null {
  return tryAll([() => tryLockFile(reserved, tree, notices), attempt], notices);
}
