/** Which PEM files were given. What is in them, tls.ts looks at. */
import { resolve } from 'node:path';
import type { FlagReader } from './flag-reader.js';
import { flags, type Flag } from './flags.js';

/** A PEM file, and what its user calls the flag that names it. */
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

/** Those that were given, with absolute paths. */
export function readTlsFiles(given: FlagReader): Partial<TlsFiles> {
  const file = (flag: Flag<string | undefined>): TlsFile | undefined => {
    const path = given.value(flag);
    return path === undefined ? undefined : { label: given.label(flag), path: resolve(path) };
  };
  const [cert, key, ca] = [file(flags.tlsCert), file(flags.tlsKey), file(flags.tlsCa)];
  return { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }), ca };
}

/** Whether TLS can be served with these. */
export function hasBothFiles(files: Partial<TlsFiles>): files is TlsFiles {
  return files.cert !== undefined && files.key !== undefined;
}
