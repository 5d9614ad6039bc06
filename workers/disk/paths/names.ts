import { isUtf8 } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import { isCoarse, sameIdentity } from '../../../src/core/file-identity.js';
import { lstat, readdir, readdirTypes } from '../calls.js';
import { errnoOf } from '../system-error.js';
import { pathBelow } from './system-path.js';

/** A name in a directory. */
export interface RawName {
  /** Its bytes, one character each: half the cost of a Buffer, and sorts by code point for free. */
  readonly key: string;
  /** Whether the directory records it as a regular file. */
  readonly regular: boolean;
  /** Whether the directory records it as a directory. */
  readonly directory: boolean;
  /** Whether it may be a symbolic link. */
  readonly link: boolean;
  /** Set if the directory records no types. */
  readonly untyped?: true;
}

/** Limit on the number of reads of a directory. */
const mostReads = 4;
/** Kernels stamp a change with the time of their last tick, 1 to 10 ms ago. */
const tickMs = 10;

/**
 * A consistent snapshot of the names in a directory, if it is unchanged for the time of two reads. On btrfs and tmpfs,
 * an entry replaced during the read, as every edit does, may be missing or listed twice (with 3,000 files, in 1 of 5
 * reads during edits by another server), and a file renamed during the read may be listed under both of its names or
 * neither. So a directory that has changed is read again, and names found only by an earlier read are checked with a
 * stat.
 * @param path of a directory
 * @param isMeant whether a name counts, as long as the directory is unchanged
 * @param look stats of the directory, if there is a quicker way than by its path
 * @throws the system error
 */
export function namesIn(
  path: string,
  isMeant: (name: RawName) => boolean,
  look: () => BigIntStats | undefined = () => lstat(path),
): RawName[] {
  const earlier: RawName[] = [];
  for (let reads = 1; ; reads++) {
    const before = look();
    const began = Date.now();
    const names = readNames(path).filter(isMeant);
    const stood = before !== undefined && sameIdentity(before, look() ?? before);
    const isSure = stood && (reads > 1 || isCoarse(before) || began - Number(before.mtimeMs) > tickMs);
    if (isSure || reads === mostReads) return earlier.length === 0 ? names : together(path, names, earlier);
    // Not spread into one call: 500,000 arguments overflow the stack.
    for (const name of names) earlier.push(name);
  }
}

/** Each name once: those of the last read, and earlier ones that still exist. */
function together(path: string, last: readonly RawName[], earlier: readonly RawName[]): RawName[] {
  const names = new Map(last.map((name) => [name.key, name]));
  const missed = new Map(earlier.filter(({ key }) => !names.has(key)).map((name) => [name.key, name]));
  for (const [key, name] of missed) {
    const text = decodedName(key);
    if (text !== undefined && lstat(pathBelow(path, text)) !== undefined) names.set(key, name);
  }
  return [...names.values()];
}

function readNames(path: string): RawName[] {
  try {
    return readdirTypes(path).map((entry) => ({
      key: entry.name,
      regular: entry.isFile(),
      directory: entry.isDirectory(),
      link: entry.isSymbolicLink(),
    }));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    // Some file systems record no types. Node then stats each file, and fails if one has vanished or cannot be named in
    // this encoding.
    return readdir(path, 'latin1').map((key) => ({ key, regular: false, directory: false, link: true, untyped: true }));
  }
}

/** The name spelled by these bytes; undefined if they are not valid UTF-8. */
export function decodedName(key: string): string | undefined {
  if (!/[\x80-\xff]/.test(key)) return key;
  const bytes = Buffer.from(key, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
