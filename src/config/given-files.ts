/** The files that flags name: PEM files and the token file. tls.ts and access/token-file.ts check their contents. */
import { readFileSync, statSync, type Stats } from 'node:fs';
import { resolve } from 'node:path';
import type { FlagReader } from './flag-reader.js';
import type { Flag } from './flag.js';
import { flags } from './flags.js';

/** A file, and the user's spelling of its flag. */
export interface GivenFile {
  readonly label: string;
  readonly path: string;
}

export interface TlsFiles {
  readonly cert: GivenFile;
  readonly key: GivenFile;
  /** If given, clients need a certificate signed by one of these. */
  readonly ca?: GivenFile | undefined;
}

/** The given files, with absolute paths. */
export function readTlsFiles(given: FlagReader): Partial<TlsFiles> {
  const [cert, key, ca] = [flags.tlsCert, flags.tlsKey, flags.tlsCa].map((flag) => givenFile(given, flag));
  return { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }), ca };
}

/** Whether these files suffice for TLS. */
export function hasBothFiles(files: Partial<TlsFiles>): files is TlsFiles {
  return files.cert !== undefined && files.key !== undefined;
}

/** The file that a flag names, with its absolute path: a started server leaves the current directory. */
export function givenFile(given: FlagReader, flag: Flag<string | undefined>): GivenFile | undefined {
  const path = given.value(flag);
  return path === undefined ? undefined : { label: given.label(flag), path: resolve(path) };
}

/** Why a file cannot be used, in words that follow its name. */
export class Unusable extends Error {}

/**
 * The contents of a file.
 * @param check throws Unusable for a file that is not to be read
 * @throws Unusable, also if it has more than `mostBytes`
 */
export function bytesIn({ path }: GivenFile, mostBytes: number, check?: (stat: Stats) => void): Buffer {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) throw new Unusable('is a directory');
    // The file is read more than once, which a pipe does not allow; and reading a pipe would wait for its writer.
    if (!stat.isFile()) throw new Unusable('is not a regular file');
    if (stat.size > mostBytes) throw new Unusable(`is larger than ${String(mostBytes / 1_048_576)} MB`);
    check?.(stat);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Unusable || !(error instanceof Error)) throw error;
    const code = 'code' in error ? String(error.code) : error.message;
    throw new Unusable(code === 'ENOENT' ? 'does not exist' : `is not readable for this process (${code})`);
  }
}
