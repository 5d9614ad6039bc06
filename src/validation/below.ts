import { posix, win32 } from 'node:path';

/**
 * An absolute path, relative to the one of these directories that it lies in: '' for the directory itself; undefined for a
 * path that lies outside or is relative.
 * @param directories absolute, in every spelling that callers may use
 */
export function relativeTo(
  directories: readonly string[],
  path: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const rules = platform === 'win32' ? win32 : posix;
  if (!rules.isAbsolute(path)) return undefined;
  const inside = directories
    .map((directory) => rules.relative(directory, path))
    .find((each) => each !== '..' && !each.startsWith(`..${rules.sep}`) && !rules.isAbsolute(each));
  return inside?.split(rules.sep).join('/');
}
