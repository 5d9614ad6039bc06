import { posix, win32 } from 'node:path';

/**
 * The path below one of these directories that an absolute path means; '' is the directory itself, undefined what lies
 * outside or is relative.
 * @param directories absolute, in every spelling that callers may know
 */
export function relativeTo(
  directories: readonly string[],
  path: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const { isAbsolute, relative, sep } = platform === 'win32' ? win32 : posix;
  if (!isAbsolute(path)) return undefined;
  const below = directories.map((directory) => relative(directory, path));
  const inside = below.find((each) => each !== '..' && !each.startsWith(`..${sep}`) && !isAbsolute(each));
  return inside?.split(sep).join('/');
}
