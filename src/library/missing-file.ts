/** How `applyEdits` refuses a path that does not exist. */
import { existsSync, lstatSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { placeOf } from './edited-place.js';
import { failure, type Failure } from '../core/errors.js';
import { linkLeads } from '../core/failures.js';
import type { Params } from '../core/operations.js';
import { didYouMeanOneOf, quotedName } from '../core/names/names-in-messages.js';

const lookAround = 'Check the path, and the directory that it counts from.';

/** @param root if given */
export async function missingFile(
  { path, expected_hash }: Params['apply_edits'],
  root: string | undefined,
): Promise<Failure> {
  const { where, name, isLast } = nearestDirectory(path);
  const { namesMeant } = await import('../../workers/disk/paths/entry-names.js');
  const names = namesMeant(`${where}/.`, name, (each) => isUsable(join(where, each), root, isLast));
  const meant = `${didYouMeanOneOf(names, name, where === '.' ? '' : where)}${lookAround}`;
  if (expected_hash !== undefined) {
    return failure('changed', `File '${path}' has changed`, {
      details: `Nothing was written: there is no file of this name. ${meant}`,
    });
  }
  return failure('not_found', `File not found: ${path}`, { details: why(path, where, isLast ? '' : name, meant) });
}

/** @param directory the missing directory on the path; '' if none is missing */
function why(path: string, where: string, directory: string, meant: string): string {
  if (isBehindDanglingLink(path)) return linkLeads.nowhere;
  if (directory === '') return meant;
  const above = where === '.' ? 'the current directory' : quotedName(where);
  return `There is no directory ${quotedName(directory)} in ${above}. ${meant}`;
}

/** The nearest existing directory above a path, and the first name on the path that is missing. */
function nearestDirectory(path: string): { where: string; name: string; isLast: boolean } {
  let at = path;
  while (dirname(at) !== at && !isDirectory(dirname(at))) at = dirname(at);
  return { where: dirname(at), name: basename(at), isLast: at === path };
}

/** Whether `applyEdits` can edit it, or traverse it. @throws the system error */
function isUsable(path: string, root: string | undefined, isLast: boolean): boolean {
  const stats = statSync(path);
  const place = placeOf(path, root);
  return (isLast ? stats.isFile() : stats.isDirectory()) && typeof place === 'object' && 'root' in place;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Whether the path fails because of a dangling link on it. */
function isBehindDanglingLink(path: string): boolean {
  for (let at = resolve(path); at !== dirname(at); at = dirname(at)) {
    if (isLink(at)) return !existsSync(at);
  }
  return false;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
