/** The files that flags name: PEM files and the file of tokens. tls.ts and access/token-file.ts check their contents. */
import { resolve } from 'node:path';
import type { FlagReader } from './flag-reader.js';
import { flags, type Flag } from './flags.js';

/** A file, and the user's name of its flag. */
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
