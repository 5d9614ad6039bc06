/** Finds obstacles to `.file-editor`, which holds locks and temporary files (spec 6). */
import { accessSync, closeSync, constants, lstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../core/error-code.js';
import { reservedName } from '../core/names/reserved-name.js';
import { platform } from '../core/platform.js';

const { R_OK, W_OK, X_OK, O_RDONLY, O_DIRECTORY } = constants;
const otherOwner = 'run as its owner, or remove it if no server uses it';

/**
 * Check the entry with the reserved name in a directory; creates nothing.
 * @param directory real path
 * @returns what is wrong with it and what to do, in words that follow "which"; undefined if it can be used or made
 */
export function reservedObstacle(directory: string): string | undefined {
  const path = join(directory, reservedName);
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return `is a link; ${otherOwner}`;
    if (!stat.isDirectory()) return `is not a directory; ${otherOwner}`;
    accessSync(path, R_OK | W_OK | X_OK);
    return mountOf(path) === mountOf(directory)
      ? undefined
      : 'is a mount of its own, from where no file can be put in its place in one step; unmount it';
  } catch (error) {
    const code = systemErrorCode(error);
    return code === 'ENOENT' ? undefined : `this process cannot write (${code}); ${otherOwner}`;
  }
}

/**
 * Two directories with the same mount id can be renamed into each other. The device is not enough: two volumes of a
 * container often share one, and rename(2) refuses to cross mounts there too.
 */
function mountOf(path: string): string {
  const device = String(statSync(path).dev);
  if (!platform.hasProc) return device;
  const fd = openSync(path, O_RDONLY | O_DIRECTORY);
  try {
    const [, mount = ''] = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${String(fd)}`, 'latin1')) ?? [];
    return `${device} ${mount}`;
  } catch {
    // It belongs to root if the executable has capabilities (before Linux 5.14).
    return device;
  } finally {
    closeSync(fd);
  }
}
