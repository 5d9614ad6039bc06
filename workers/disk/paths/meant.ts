/**
 * Refuses missing paths and suggests names instead (spec 11 and 15): only names inside the directory that the call can
 * use.
 */
import type { OperationError } from '../../../src/core/errors.js';
import { didYouMeanOneOf, quotedName } from '../../../src/core/names/names-in-messages.js';
import { checkFilename, type NameRule } from '../../../src/core/names/filename.js';
import { checkPath } from '../../../src/core/names/path.js';
import { Directory } from './anchor.js';
import { namesMeant, namesThat, type Likeness } from './entry-names.js';
import { isReservedAlias } from './parent.js';
import { statsBehind } from './link.js';
import { lookAround, pathNotFound } from './path-errors.js';
import type { Root } from './root.js';
import { isInScope, isNamedInScope, outOfScope } from './scope.js';
import type { Spot } from './walk.js';

/** The kind of entry a call can use. */
export type Wanted = 'file' | 'directory' | 'any';

/** A question that offers flat file names; empty if there are none. */
export function flatNamesMeant(root: Root, asked: string, rule: NameRule): string {
  return inRoot(root, (directory) =>
    didYouMeanOneOf(namesMeant(directory.anchor.path('.'), asked, isFlatFile(root, directory, rule)), asked),
  );
}

/** Flat file names of one likeness. */
export function flatNamesThat(likeness: Likeness, root: Root, asked: string, rule: NameRule): string[] {
  return inRoot(root, (directory) =>
    namesThat(likeness, directory.anchor.path('.'), asked, isFlatFile(root, directory, rule)),
  );
}

function inRoot<Result>(root: Root, use: (directory: Directory) => Result): Result {
  const directory = Directory.root(root);
  try {
    return use(directory);
  } finally {
    directory.close();
  }
}

function isFlatFile(root: Root, directory: Directory, rule: NameRule): (name: string) => boolean {
  return (name) => checkFilename(name, rule) === null && kindOf(root, directory, name) === 'file';
}

/** Names in a directory that were probably meant. */
export function namesMeantIn(root: Root, directory: Directory, asked: string, wanted: Wanted): string[] {
  return namesMeant(directory.anchor.path('.'), asked, (name) => {
    if (!canBeSent(directory, name)) return false;
    const kind = kindOf(root, directory, name);
    return kind !== undefined && (wanted === 'any' || kind === wanted);
  });
}

/** Whether a call can name it. A backslash separates names, and reserved names are refused. */
function canBeSent(directory: Directory, name: string): boolean {
  if (name.includes('\\') || isReservedAlias(directory.anchor, name)) return false;
  return checkPath('path', directory.relativeOf(name)) === null;
}

/**
 * The kind of a name's target, if the caller may use both. A partly allowed directory does not count: only a search
 * could tell whether the caller may see anything in it.
 * @throws the system error
 */
function kindOf(root: Root, directory: Directory, name: string): 'file' | 'directory' | undefined {
  const seen = statsBehind(root, directory, name);
  const kind = seen?.isFile() === true ? 'file' : seen?.isDirectory() === true ? 'directory' : undefined;
  const use = kind === 'directory' ? 'whole directory' : 'file';
  return kind !== undefined && isInScope(root, directory.relativeOf(name), use) ? kind : undefined;
}

/** For a spot where nothing is. @param wanted what the call can use */
export function missingAt(root: Root, spot: Spot, wanted: Wanted): OperationError {
  const { path, relative, parent, name, directory } = spot;
  const mayKnow = isNamedInScope(root, path, 'nothing') && isInScope(root, relative, 'nothing');
  if (!mayKnow) return outOfScope(root, path);
  const [missing] = spot.missing;
  if (missing !== undefined) return missingDirectory(root, parent, missing, path);
  const names = namesMeantIn(root, parent, name, directory ? 'directory' : wanted);
  const meant = didYouMeanOneOf(names, name, parent.relative);
  return pathNotFound(path, `${meant}${lookAround}`);
}

/** For a path with a missing directory on the way. @param directory the nearest existing one above it */
export function missingDirectory(root: Root, directory: Directory, name: string, path: string): OperationError {
  const { relative } = directory;
  // Naming the missing directory reveals which ones exist.
  if (!isInScope(root, directory.relativeOf(name), 'whole directory')) return pathNotFound(path);
  const where = relative === '' ? 'the working directory' : quotedName(relative);
  const meant = didYouMeanOneOf(namesMeantIn(root, directory, name, 'directory'), name);
  return pathNotFound(path, `There is no directory ${quotedName(name)} in ${where}. ${meant}${lookAround}`);
}
