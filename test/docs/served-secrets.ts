/** Finds commands that put secrets where agents may read them: keys, tokens, logs, a home directory. */
import { isAbsolute, relative, resolve } from 'node:path';

const place = String.raw`[=\s]+(["']?)([^\s"'|;&)]+)\1`;

/** What names a directory whose content is served: flags of the server, and volumes of its container. */
const served = [
  new RegExp(`--dir${place}`, 'g'),
  new RegExp(`BASE_PATH${place}`, 'g'),
  /-v +(["']?)([^\s"':]+):\/data\1/g,
];

/** What names a file or a folder that must stay private. */
const secret = [
  new RegExp(`--(?:tls-cert|tls-key|tls-ca|tokens|home-dir|cacert|cert|key)${place}`, 'g'),
  new RegExp(`(?<=\\s)-(?:keyout|out|CAkey)${place}`, 'g'),
  /(?<=\s)(?:2|&)?>>?( *)([^\s&>]+)/g,
];

/**
 * @param commands of one shell that starts in an empty folder, and stays there or enters one that it makes
 * @returns the secrets that lie in a directory that they serve, as they name them
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
