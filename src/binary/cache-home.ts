import { isAbsolute, join } from 'node:path';

/**
 * @returns a user's folder for caches by the XDG Base Directory Specification, to which an empty variable is absent and
 *   a relative path invalid: that would be a folder in whatever directory a server is started in
 */
export function cacheHome(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  const configured = environment['XDG_CACHE_HOME'] ?? '';
  return isAbsolute(configured) ? configured : join(home, '.cache');
}
