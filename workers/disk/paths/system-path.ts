/**
 * The only place that converts between names and system paths. Inside the program, a path is relative to the working
 * directory, with `/` between its names. A system path is absolute or begins in an anchor, and has the separators of
 * the system. Two forms of one path would be taken for two files.
 */
import { sep } from 'node:path';

/** The path of a name below a directory, or of several joined by `/`. @param directory a system path */
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

/** The names in a system path, or in the text of a link. */
export function namesOf(path: string): string[] {
  return path.split(sep);
}

/** The text of a link with `/` as separator, as this program made it. */
export function textOfLink(text: string): string {
  return text.replaceAll('\\', '/');
}
