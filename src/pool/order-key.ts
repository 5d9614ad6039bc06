/**
 * One key for each file, whatever link or spelling names it. Only the order of writes depends on it: if a link changes
 * afterwards, the worker takes the lock of its new target.
 */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { oneSpelling } from '../core/file-identity.js';
import { isReservedName } from '../core/names/reserved-name.js';
import { plainNames } from '../core/names/path.js';
import { filenameOf, pathsOf } from '../core/operations.js';
import type { PendingCall } from './pending-call.js';
import type { FileQueues } from './queues.js';

/**
 * Deeper paths are not resolved: the system walks to each directory on its way from the top, and 4 kB of one-letter
 * names took 65 ms, in which this thread answers nobody.
 */
const deepest = 64;
/** The key of everything that lies deeper, which therefore is written one after the other. No path begins like this. */
const deepKey = '/';

/**
 * The keys of the files that a call writes.
 * @param directory real path of the working directory, here and below
 */
export function orderKeys({ operation, params }: PendingCall, files: FileQueues, directory: string): readonly string[] {
  const filename = filenameOf(operation, params);
  if (filename === undefined) return [...new Set(pathsOf(operation, params).map((path) => pathKey(directory, path)))];
  const plain = plainKey(filename);
  return [files.has(plain, filename) ? plain : filenameKey(directory, filename)];
}

export function filenameKey(directory: string, filename: string): string {
  const path = join(directory, filename);
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) return keyOf(directory, resolved(path));
  } catch {
    // The worker refuses what cannot be looked at, and knows how to say so.
  }
  return plainKey(filename);
}

/** @param path one that checkPath (validation/path.ts) accepts */
export function pathKey(directory: string, path: string): string {
  const names = plainNames(path);
  if (names.length > deepest) return deepKey;
  return keyOf(directory, resolved(join(directory, ...names)));
}

/**
 * The key as long as no link is involved, without looking at the disk: one for all that some file system takes for one
 * name.
 */
function plainKey(relative: string): string {
  return oneSpelling(relative);
}

function keyOf(directory: string, real: string): string {
  const relative = real.slice(join(directory, '/').length).replaceAll('\\', '/');
  return relative.split('/', deepest + 1).length > deepest ? deepKey : plainKey(relative);
}

/** More links to what is missing than this in one path are taken as they are written. */
const mostDangling = 4;

/**
 * The real path of what exists, followed by the names of what does not: the target of a link may be made by a call that
 * came before.
 */
function resolved(path: string, links = mostDangling): string {
  const real = realPath(path);
  const parent = dirname(path);
  if (real !== undefined || parent === path) return real ?? path;
  const at = join(resolved(parent, links), basename(path));
  const text = links === 0 ? undefined : linkText(at);
  return text === undefined ? at : resolved(resolve(dirname(at), text), links - 1);
}

/** Undefined also for a placeholder, which a rename puts where its file will be (workers/disk/paths/placeholder.ts). */
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
    // Nothing is there, or the worker will say what is wrong with it.
    return undefined;
  }
}
