/** How a path that does not exist is refused (spec 11 and 15). */
import type { OperationError } from '../../src/errors.js';
import { didYouMeanOneOf, quotedName } from '../../src/told-names.js';
import type { Directory } from './directory.js';
import { namesMeantIn, type Wanted } from './meant.js';
import { lookAround, pathNotFound } from './path-errors.js';
import type { Root } from './root.js';
import type { Spot } from './walk.js';

/** For a spot where nothing is. @param wanted what the call can use */
export function missingAt(root: Root, spot: Spot, wanted: Wanted): OperationError {
  const { path, parent, name, directory } = spot;
  const [missing] = spot.missing;
  if (missing !== undefined) return missingDirectory(root, parent, missing, path);
  const names = namesMeantIn(root, parent, name, directory ? 'directory' : wanted);
  const meant = didYouMeanOneOf(names, name, parent.relative);
  return pathNotFound(path, `${meant}${lookAround}`);
}

/** For a path with a missing directory on the way. @param directory the nearest existing one above */
export function missingDirectory(root: Root, directory: Directory, name: string, path: string): OperationError {
  const { relative } = directory;
  const where = relative === '' ? 'the working directory' : quotedName(relative);
  const meant = didYouMeanOneOf(namesMeantIn(root, directory, name, 'directory'), name);
  return pathNotFound(path, `There is no directory ${quotedName(name)} in ${where}. ${meant}${lookAround}`);
}
