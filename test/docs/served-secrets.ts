/** Commands that put where agents may read it what they must not read: keys, tokens, logs, somebody's home. */
import { isAbsolute, relative, resolve } from 'node:path';

const place = String.raw`[=\s]+(["']?)([^\s"'|;&)]+)\1`;

/** What names a directory whose content is served: flags of the server, and volumes of its container. */
const served = [
  new RegExp(`--dir${place}`, 'g'),
  new RegExp(`BASE_PATH${place}`, 'g'),
  /-v +(["']?)([^\s"':]+):\/data\1/g,
];

/** What names a file or a folder that is nobody else's business. */
const secret = [
  new RegExp(`--(?:tls-cert|tls-key|tls-ca|tokens|home-dir|cacert|cert|key)${place}`, 'g'),
  new RegExp(`(?<=\\s)-(?:keyout|out|CAkey)${place}`, 'g'),
  /(?<=\s)(?:2|&)?>>?( *)([^\s&>]+)/g,
];

/**
 * @param commands of one shell that starts in an empty folder, where it stays or goes into one that it makes
 * @returns what of a secret kind lies in a directory that is served by them, as they name it
 */
export function servedSecrets(commands: string): string[] {
  const folder = '/folder';
  const directories = namedBy(served, commands).map((name) => resolve(folder, name));
  return namedBy(secret, commands).filter((name) =>
    directories.some((directory) => isWithin(directory, resolve(folder, name))),
  );
}

function namedBy(patterns: readonly RegExp[], commands: string): string[] {
  return patterns.flatMap((pattern) => [...commands.matchAll(pattern)].map(([, , name = '']) => name));
}

function isWithin(directory: string, path: string): boolean {
  const from = relative(directory, path);
  return from !== '..' && !from.startsWith('../') && !isAbsolute(from);
}
