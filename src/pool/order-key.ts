/**
 * One ordering key per file, whatever link or spelling names it. Only the order of writes depends on it: if a link
 * changes later, the worker locks its new target.
 */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { oneSpelling } from '../core/file-identity.js';
import { isReservedName } from '../core/names/reserved-name.js';
import { maxPathBytes, plainNames } from '../core/names/path.js';
import { filenameOf, pathsOf } from '../core/operations.js';
import type { PendingCall } from './pending-call.js';
import type { FileQueues } from './queues.js';

/**
 * Deeper paths are not resolved: the system walks to each directory from the top, and 4 kB of one-letter names took 65
 * ms, which blocks this thread.
 */
const deepest = 64;
/**
 * Shared key of all deeper files, and of those that only a walk will find: their writes are therefore serialized. No
 * relative path begins like this.
 */
const deepKey = '/';

/**
 * The keys of the files that a call writes.
 * @param directory real path of the working directory, here and below
 */
export function orderKeys({ operation, params }: PendingCall, files: FileQueues, directory: string): readonly string[] {
  const filename = filenameOf(operation, params);
  if (filename === undefined) {
    const keys = new Set(pathsOf(operation, params).map((path) => pathKey(directory, path)));
    return keys.size === 0 ? [deepKey] : [...keys];
  }
  const plain = plainKey(filename);
  return [files.has(plain, filename) ? plain : filenameKey(directory, filename)];
}

export function filenameKey(directory: string, filename: string): string {
  return namesKey(directory, [filename]);
}

/** @param path if checkPath (core/names/path.ts) refuses it, its key is meaningless */
export function pathKey(directory: string, path: string): string {
  if (path.length > maxPathBytes) return deepKey;
  const names = plainNames(path);
  return names.length > deepest ? deepKey : namesKey(directory, names);
}

/** Usually the path has no links: looking only below the directory saves a call for each name above it. */
function namesKey(directory: string, names: readonly string[]): string {
  try {
    for (const [index] of names.entries()) {
      const found = lstatSync(join(directory, ...names.slice(0, index + 1)), { throwIfNoEntry: false });
      if (found === undefined) break;
      if (found.isSymbolicLink()) return keyOf(directory, resolved(join(directory, ...names)));
    }
  } catch {
    // If lstat fails, the worker refuses the file and reports why.
  }
  return plainKey(names.join('/'));
}

/**
 * The key if no link is involved, computed without disk access: the same for all names that any file system treats as
 * one.
 */
function plainKey(relative: string): string {
  return oneSpelling(relative);
}

function keyOf(directory: string, real: string): string {
  const relative = real.slice(join(directory, '/').length).replaceAll('\\', '/');
  return relative.split('/', deepest + 1).length > deepest ? deepKey : plainKey(relative);
}

/** Dangling links beyond this number in one path are not resolved. */
const mostDangling = 4;

/**
 * The real path of the existing part, followed by the missing names: an earlier call may create the target of a link.
 */
function resolved(path: string, links = mostDangling): string {
  const real = realPath(path);
  const parent = dirname(path);
  if (real !== undefined || parent === path) return real ?? path;
  const at = join(resolved(parent, links), basename(path));
  const text = links === 0 ? undefined : linkText(at);
  return text === undefined ? at : resolved(resolve(dirname(at), text), links - 1);
}

/** Also undefined for the placeholder that a rename puts at its destination (workers/disk/paths/placeholder.ts). */
function linkText(path: string): string | undefined {
  try {
    const text = readlinkSync(path);
    return text.split(/[\\/]/).some(isReservedName) ? undefined : text;
  } catch {
    return undefined;
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // Missing, or the worker will report the error.
    return undefined;
  }
}
