import { isUtf8 } from 'node:buffer';
import { readdir, readdirTypes } from './calls.js';
import { errnoOf } from './system-error.js';

/** A name in a directory. */
export interface RawName {
  /** Its bytes, each as one character: half the price of a Buffer, and the order of code points for nothing. */
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
    // Some file systems tell no types. Node looks at each file then, and fails with one that vanished
    // or that it cannot name in this encoding.
    return readdir(path, 'latin1').map((key) => ({ key, regular: false, link: true }));
  }
}

/** The name of these bytes; undefined if they are not valid UTF-8. */
export function decodedName(key: string): string | undefined {
  if (!/[\x80-\xff]/.test(key)) return key;
  const bytes = Buffer.from(key, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
