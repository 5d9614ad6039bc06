import { isAbsolute, join } from 'node:path';

/**
 * @returns the folder for caches of a user, by the XDG Base Directory Specification: it counts an empty variable as
 * absent and a relative path as invalid, which would be a folder in whatever directory a server is started in
 */
export function cacheHome(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  const configured = environment['XDG_CACHE_HOME'] ?? '';
  return isAbsolute(configured) ? configured : join(home, '.cache');
}
