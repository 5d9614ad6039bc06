import { isUtf8 } from 'node:buffer';
import { readdir, readdirTypes } from './calls.js';
import { errnoOf } from './system-error.js';

/** A name in a directory. */
export interface RawName {
  /** Its bytes, one character each: half the cost of a Buffer, and it sorts by code point for free. */
  readonly key: string;
  /** Whether the directory calls it a regular file. */
  readonly regular: boolean;
  /** Whether it may be a symbolic link. */
  readonly link: boolean;
}

/** @param path of a directory @throws the system error */
export function namesIn(path: string): RawName[] {
  try {
    return readdirTypes(path, 'latin1').map((entry) => ({
      key: entry.name,
      regular: entry.isFile(),
      link: entry.isSymbolicLink(),
    }));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    // Some file systems know no types. Node then looks at each file, and fails if one has vanished or cannot be named
    // in this encoding.
    return readdir(path, 'latin1').map((key) => ({ key, regular: false, link: true }));
  }
}

/** The name that these bytes spell; undefined if they are not valid UTF-8. */
export function decodedName(key: string): string | undefined {
  if (!/[\x80-\xff]/.test(key)) return key;
  const bytes = Buffer.from(key, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
