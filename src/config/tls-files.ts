/** The given PEM files. tls.ts checks their contents. */
import { resolve } from 'node:path';
import type { FlagReader } from './flag-reader.js';
import { flags, type Flag } from './flags.js';

/** A PEM file, and the user's name of its flag. */
export interface TlsFile {
  readonly label: string;
  readonly path: string;
}

export interface TlsFiles {
  readonly cert: TlsFile;
  readonly key: TlsFile;
  /** If given, clients need a certificate signed by one of these. */
  readonly ca?: TlsFile | undefined;
}

/** The given files, with absolute paths. */
export function readTlsFiles(given: FlagReader): Partial<TlsFiles> {
  const file = (flag: Flag<string | undefined>): TlsFile | undefined => {
    const path = given.value(flag);
    return path === undefined ? undefined : { label: given.label(flag), path: resolve(path) };
  };
  const [cert, key, ca] = [file(flags.tlsCert), file(flags.tlsKey), file(flags.tlsCa)];
  return { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }), ca };
}

/** Whether these files suffice for TLS. */
export function hasBothFiles(files: Partial<TlsFiles>): files is TlsFiles {
  return files.cert !== undefined && files.key !== undefined;
}
