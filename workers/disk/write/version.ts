import type { BigIntStats } from 'node:fs';
import { isCoarse, isSameFile, sameIdentity } from '../../../src/core/file-identity.js';
import { portionsOf, type Text } from '../../text/scattered-text.js';
import { fstat, lstat, read } from '../calls.js';
import { closeRead } from '../close.js';
import { openToRead, type OpenFile, type Place } from '../paths/open-file.js';
import { assertWhole, readAll } from '../read.js';
import { readStanding } from './standing.js';
import { errnoOf, isNoFile } from '../system-error.js';
import { modifiedConcurrently } from './write-failed.js';

/** A file as it was read: enough to detect later changes. */
export interface Version {
  readonly file: OpenFile;
  readonly bytes: Buffer;
  /** Taken from the descriptor after the last byte was read. */
  readonly stats: BigIntStats;
  /** Its timestamps prove nothing: a later write could leave them unchanged (src/core/file-identity.ts). */
  readonly doubtful: boolean;
}

/**
 * Read a file for editing, as one version: if it changes during the read, it is read again.
 * @param limit in bytes
 * @throws OperationError too_large; modified_concurrently if it changes during all of three reads; the system error if
 *   it cannot be read to its end
 */
export function readVersion(file: OpenFile, name: string, limit: number): Version {
  const { result, stats, stood, doubtful } = readStanding(file, (before) => {
    const bytes = readAll({ ...file, stats: before }, limit);
    assertWhole(bytes.length, Number(before.size));
    return bytes;
  });
  if (!stood) throw modifiedConcurrently(name);
  return { file, bytes: result, stats, doubtful };
}

/**
 * Whether the path still names the version that was read (spec 6: the check before the rename). The bytes come first:
 * comparing them takes as long as reading, and the stats, which come last, still reveal writes during the comparison.
 */
export function isCurrent(version: Version): boolean {
  const { path } = version.file.place;
  let expected = version.stats;
  for (let looks = 1; looks <= 3; looks++) {
    if (version.doubtful && !holdsText(version.file.place, version.bytes, version.stats)) return false;
    const now = lstat(path);
    if (now === undefined || !looksSame(now, expected)) return false;
    if (sameIdentity(now, expected)) return true;
    // Coarse timestamps may arrive late (src/core/file-identity.ts), even those of another host's last edit: only the
    // bytes are conclusive.
    if (!isCoarse(expected) || !isCoarse(now)) return false;
    expected = now;
  }
  return false;
}

/** Equal apart from timestamps: where those are coarse, they do not reveal a change of rights either. */
function looksSame(a: BigIntStats, b: BigIntStats): boolean {
  return (['dev', 'ino', 'size', 'mode', 'uid', 'gid'] as const).every((member) => a[member] === b[member]);
}

/** Whether the path still names the opened file, whatever its current content. */
export function isStillThere({ place, stats }: OpenFile): boolean {
  return isSameFile(lstat(place.path), stats);
}

/**
 * Whether the file at a place holds exactly this text. Reopens it: through a descriptor used for an earlier read,
 * network file systems may return old bytes (MooseFS does in 2 of 100 cases).
 * @param meant the file expected there; any if absent
 * @throws the system error
 */
export function holdsText(place: Place, text: Text, meant?: BigIntStats): boolean {
  let fd: number;
  try {
    fd = openToRead(place);
  } catch (error) {
    if (isNoFile(errnoOf(error))) return false;
    throw error;
  }
  try {
    const stats = fstat(fd);
    if (!stats.isFile() || (meant !== undefined && !isSameFile(stats, meant))) return false;
    return holds(fd, text);
  } finally {
    closeRead(fd);
  }
}

const readBytes = 65_536;
/** Reused: comparing 1 MB takes 0.09 ms, in fresh memory 0.39. */
let spare: Buffer | undefined;

/** Compares in pieces, without a second copy of the file. */
function holds(fd: number, text: Text): boolean {
  const held =
    text.length < readBytes ? Buffer.allocUnsafe(text.length + 1) : (spare ??= Buffer.allocUnsafeSlow(readBytes));
  let offset = 0;
  for (const piece of portionsOf(text)) {
    for (let at = 0; at < piece.length;) {
      const got = read(fd, held, 0, Math.min(held.length, piece.length - at), offset);
      if (got === 0 || held.compare(piece, at, at + got, 0, got) !== 0) return false;
      at += got;
      offset += got;
    }
  }
  return read(fd, held, 0, 1, offset) === 0;
}
