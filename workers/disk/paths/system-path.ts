/**
 * The only place where names become paths of the system, and the reverse. Inside the program a path is relative to the
 * working directory and has `/` between its names; a path of the system is absolute, or begins in an anchor, and has
 * what the system has. Two forms of one path would be taken for two files.
 */
import { sep } from 'node:path';

/** The path of a name below a directory, or of several joined by `/`. @param directory a path of the system */
export function pathBelow(directory: string, names: string): string {
  const below = sep === '/' ? names : names.replaceAll('/', sep);
  return directory.endsWith(sep) ? directory + below : directory + sep + below;
}

/**
 * The names below a directory, joined by `/`: inverse of `pathBelow`.
 * @returns undefined if the path does not lie below the directory
 */
export function namesBelow(directory: string, path: string): string | undefined {
  const prefix = directory.endsWith(sep) ? directory : directory + sep;
  return path.startsWith(prefix) ? namesOf(path.slice(prefix.length)).join('/') : undefined;
}

/** The names in a path of the system, or in the text of a link. */
export function namesOf(path: string): string[] {
  return path.split(sep);
}

/** The text of a link with the separators of this program, in which it was made. */
export function textOfLink(text: string): string {
  return text.replaceAll('\\', '/');
}
