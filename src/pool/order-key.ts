/**
 * One key for each file, whatever link or spelling names it. Only the order of writes depends on it: if a link changes
 * afterwards, the worker takes the lock of its new target.
 */
import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { plainNames } from '../validation/path.js';

/**
 * Deeper paths are taken as they are written. To resolve one, the system walks to each directory on its way from the
 * top: 4 kB of one-letter names took 65 ms, in which this thread answers nobody.
 */
const deepest = 64;

/** @param directory real path of the working directory, here and below */
export function filenameKey(directory: string, filename: string): string {
  const path = join(directory, filename);
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
      return keyOf(directory, realpathSync.native(path));
    }
  } catch {
    // The worker refuses a link that cannot be resolved, and knows how to say so.
  }
  return plainKey(filename);
}

/** @param path one that checkPath (validation/path.ts) accepts */
export function pathKey(directory: string, path: string): string {
  const names = plainNames(path);
  if (names.length > deepest) return plainKey(names.join('/'));
  const last = names.at(-1) ?? '';
  // What does not exist yet is in a directory that does; if even that is missing, no other call can be about its
  // contents.
  const real = realPath(join(directory, ...names)) ?? appended(realPath(join(directory, ...names.slice(0, -1))), last);
  return real === undefined ? plainKey(names.join('/')) : keyOf(directory, real);
}

/**
 * The key as long as no link is involved, without looking at the disk: one for all that some file system takes for one
 * name.
 */
export function plainKey(relative: string): string {
  return relative.normalize('NFC').toLowerCase();
}

function keyOf(directory: string, real: string): string {
  return plainKey(real.slice(join(directory, '/').length).replaceAll('\\', '/'));
}

function appended(directory: string | undefined, name: string): string | undefined {
  return directory === undefined ? undefined : join(directory, name);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // Nothing is there, or the worker will say what is wrong with it.
    return undefined;
  }
}
