/**
 * One file name may have many spellings (spec 19): another case, another Unicode form, a short 8.3 name. Locks, checks
 * and renames must not take them for several files, and a replacement must not change the file's own spelling. So every
 * path is first converted, name by name, to the spelling that the directory holds.
 */
import { renameSync } from 'node:fs';
import { OperationError } from '../../../src/core/errors.js';
import { escapes } from '../../../src/core/failures.js';
import { isSameFile, oneSpelling } from '../../../src/core/file-identity.js';
import { unusableOnWindows } from '../../../src/core/names/filename.js';
import { platform } from '../../../src/core/platform.js';
import { lstat, readdir } from '../calls.js';
import type { Directory } from './anchor.js';
import type { Place } from './open-file.js';
import { realPathOf } from './parent.js';
import type { Root } from './root.js';
import { namesBelow, pathBelow } from './system-path.js';

/**
 * The name of an entry as its directory holds it.
 * @param path as the caller wrote it
 * @returns the given name if nothing is there, if it is a link, or if the system does not report it
 * @throws OperationError path_security if nothing is there, and no other program could open what would be made; the
 *   system error
 */
export function nameHeld(
  root: Root,
  directory: Pick<Directory, 'anchor' | 'relative'>,
  name: string,
  path: string,
): string {
  if (!platform.tellsSpelling) return name;
  const at = directory.anchor.path(name);
  const seen = lstat(at);
  if (seen === undefined) assertNameable([name], path);
  if (seen === undefined || seen.isSymbolicLink()) return name;
  const held = namesBelow(root.absolute(directory.relative), realPathOf(at) ?? '');
  return held !== undefined && isAlias(name, held) ? held : name;
}

/**
 * Whether two places in one directory are two spellings of one name, and the directory holds the first: a rename then
 * changes nothing but the spelling. @throws the system error
 */
export function isRespelling(from: Place, to: Place): boolean {
  if (from.parent !== to.parent || from.relative === to.relative) return false;
  if (oneSpelling(from.relative) !== oneSpelling(to.relative)) return false;
  // If they are two hard links to one file, the directory holds both names.
  return isSameFile(lstat(from.path), lstat(to.path)) && !isListed(to);
}

/**
 * Give an entry another spelling of its name. Some systems see no change and do nothing: then it is first renamed to an
 * unused name, which a process killed in between leaves behind. @throws the system error
 */
export function respell(from: Place, to: Place): void {
  renameSync(from.path, to.path);
  if (!isRespelling(from, to)) return;
  const between = pathBelow(from.directory, `renaming-${Math.random().toString(36).slice(2)}`);
  renameSync(from.path, between);
  try {
    renameSync(between, to.path);
  } catch (error) {
    renameSync(between, from.path);
    throw error;
  }
}

function isListed({ directory, relative, parent }: Place): boolean {
  return readdir(pathBelow(directory, '.')).includes(parent === '' ? relative : relative.slice(parent.length + 1));
}

/** False if a link has just taken the place of the entry, which the next step notices. */
function isAlias(name: string, held: string): boolean {
  return !held.includes('/') && (oneSpelling(held) === oneSpelling(name) || name.includes('~'));
}

/**
 * @param names of what would be made
 * @param path as the caller wrote it
 * @throws OperationError path_security if no other program could open it
 */
export function assertNameable(names: readonly string[], path: string): void {
  const reason = platform.hasWindowsNames ? names.map(unusableOnWindows).find((each) => each !== undefined) : undefined;
  if (reason === undefined) return;
  throw new OperationError('path_security', escapes, {
    details: `A name in the path ${reason}, and no program on Windows could open it. Use another name.`,
    data: { path },
  });
}
