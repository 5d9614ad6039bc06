/** Resolves the path given to `applyEdits` to a file and to the directory that holds its lock. */
import { accessSync, constants, lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { isDenied, systemErrorCode } from '../core/error-code.js';
import { failure, type Failure } from '../core/errors.js';
import { escapes, linkLeads } from '../core/failures.js';
import { reservedName } from '../core/names/reserved-name.js';
import { checkPath } from '../core/names/path.js';

/** A file, named as by a server of `root`. */
interface Place {
  readonly root: string;
  readonly path: string;
}

/**
 * @param root as given; if undefined, it is searched for
 * @returns 'missing' if the path does not exist
 */
export function placeOf(filePath: string, root: string | undefined): Place | Failure | 'missing' {
  const given = root === undefined ? undefined : directoryAt(root);
  if (typeof given === 'object') return given;
  try {
    // Native, since the JavaScript version fails with EINVAL if a link becomes a file between two of its steps.
    const target = realpathSync.native(filePath);
    const directory = given ?? nearestRoot(dirname(target));
    const path = relative(directory, target);
    if (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return asServed(directory, path);
    return failure('path_security', escapes, {
      details: 'The file is not in the directory that `root` names, or is a link that leads out of it.',
    });
  } catch (error) {
    const errno = systemErrorCode(error);
    if (errno === undefined) throw error;
    if (errno === 'ELOOP') return failure('path_security', escapes, { details: linkLeads.back, data: { errno } });
    if (isDenied(errno)) return failure('permission_denied', '', { data: { errno } });
    return errno === 'ENOENT' || errno === 'ENOTDIR'
      ? 'missing'
      : failure('read_failed', String(error), { data: { errno } });
  }
}

/** The real path of `root`. */
export function directoryAt(root: string): string | Failure {
  try {
    const directory = realpathSync.native(root);
    if (lstatSync(directory).isDirectory()) return directory;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
  return failure('invalid_params', 'Invalid params: root names no directory', {
    details: 'The option `root` is the directory whose .file-editor holds the locks. Send the path of one that exists.',
  });
}

/** Refuses the paths that a server of the root would refuse: its own directory, and names with a backslash. */
function asServed(root: string, path: string): Place | Failure {
  // A server treats it as a separator, so it would take `a\b` and `a/b`, two files here, for one.
  if (sep !== '\\' && path.includes('\\')) {
    return failure('invalid_params', 'Invalid params: /path has a name with a backslash in it', {
      details: 'A backslash separates names here, as a slash does. Rename the file or directory first.',
    });
  }
  // The path is relative, even if it begins like a Windows drive.
  return checkPath('path', `./${path}`) ?? { root, path };
}

/** The nearest directory whose reserved directory this process may use. @param directory real path */
function nearestRoot(directory: string): string {
  for (let above = directory; ; above = dirname(above)) {
    if (isUsable(join(above, reservedName))) return above;
    if (above === dirname(above)) return directory;
  }
}

/**
 * A reserved directory of another user provides no exclusion here, and must not block edits of the user's own files.
 */
function isUsable(reserved: string): boolean {
  try {
    if (lstatSync(reserved, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
    accessSync(reserved, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
