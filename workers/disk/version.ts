import { fstatSync, lstatSync, readSync, type BigIntStats } from 'node:fs';
import { OperationError } from '../../src/errors.js';
import { isYoung, sameIdentity } from '../../src/file-identity.js';
import type { OpenFile } from './confine.js';
import { readAll } from './read.js';

/** What a file was when it was read: enough to tell later whether it still is. */
export interface Version {
  readonly file: OpenFile;
  readonly bytes: Buffer;
  /** Taken from the descriptor that was read, after the last byte. */
  readonly stats: BigIntStats;
  /** Its time stamps prove nothing: a later write could leave them as they are (src/file-identity.ts). */
  readonly young: boolean;
}

/**
 * Read a file for editing, as one version: if it changes under the read, it is read again.
 * @param limit in bytes
 * @throws OperationError too_large; modified_concurrently if it does not stand still for one of three reads
 */
export function readVersion(file: OpenFile, name: string, limit: number): Version {
  let before = file.stats;
  for (let attempt = 0; attempt < 3; attempt++) {
    const now = Date.now();
    const bytes = readAll({ ...file, stats: before }, limit);
    const stats = fstatSync(file.fd, { bigint: true });
    if (sameIdentity(before, stats)) return { file, bytes, stats, young: isYoung(stats, now) };
    before = stats;
  }
  throw new OperationError('modified_concurrently', `File '${name}' was modified concurrently`);
}

/**
 * Whether the path still names the version that was read (contract 6: the check before the rename). The bytes come
 * first: comparing takes as long as reading, and what is written behind the comparison must still be seen, by the look
 * that is the last thing here.
 */
export function isCurrent(version: Version): boolean {
  if (version.young && !hasSameBytes(version)) return false;
  const now = lstatSync(version.file.place.path, { bigint: true, throwIfNoEntry: false });
  return now !== undefined && sameIdentity(now, version.stats);
}

/** Whether the path still names the file that was opened, whatever is in it by now. */
export function isStillThere({ place, stats }: OpenFile): boolean {
  const now = lstatSync(place.path, { bigint: true, throwIfNoEntry: false });
  return now !== undefined && now.ino === stats.ino && now.dev === stats.dev;
}

/** Compared in pieces, so that the check needs no second copy of the file. */
function hasSameBytes({ file, bytes }: Version): boolean {
  const piece = Buffer.allocUnsafe(Math.min(bytes.length + 1, 65_536));
  for (let offset = 0; ;) {
    const got = readSync(file.fd, piece, 0, piece.length, offset);
    if (got === 0) return offset === bytes.length;
    if (offset + got > bytes.length || piece.compare(bytes, offset, offset + got, 0, got) !== 0) return false;
    offset += got;
  }
}
