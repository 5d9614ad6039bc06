/** File identity, by stat and by path. Imports nothing, so both sides of the thread boundary can import it. */

/** Identifies a file. */
interface FileNumbers {
  readonly dev: bigint;
  /** Exceeds 2^53 on some file systems; hence every member is a bigint. */
  readonly ino: bigint;
}

/** Identifies a version of a file without reading it. Plain data, since it crosses threads. */
export interface FileIdentity extends FileNumbers {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/**
 * Whether both are the same version. Only conclusive if the timestamps were not doubtful (`isDoubtful`) at the read.
 */
export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

/** Whether both are the same file, regardless of content. False if either is missing. */
export function isSameFile(a: FileNumbers | undefined, b: FileNumbers | undefined): boolean {
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** Drops the other members of a stat, which would be copied between threads for nothing. */
export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: FileIdentity): FileIdentity {
  return { dev, ino, size, mtimeNs, ctimeNs };
}

/**
 * Kernels update timestamps once per tick, 1 to 10 ms, and at the start of a write. A later write, or the rest of one
 * in progress, may therefore leave them unchanged; 100 ms leave it time to finish.
 */
const fineGranularity = 100_000_000n;
/**
 * A write may change nothing but a timestamp in whole seconds: FAT has a granularity of two seconds, and its ctime is
 * the creation time.
 */
const coarseGranularity = 2_100_000_000n;
const second = 1_000_000_000n;

/**
 * Whether an equal identity is inconclusive: a later write could leave the timestamps unchanged, because they are too
 * recent ("racily clean" in git) or because the file system stores whole seconds. In the latter case no age is enough:
 * MooseFS 3 shows a write's timestamps to other hosts up to 0.9 s after the file was closed (measured), long after its
 * bytes.
 * @param now milliseconds since 1970, taken before the bytes were read
 */
export function isDoubtful({ mtimeNs, ctimeNs }: FileIdentity, now: number): boolean {
  if (isCoarse({ mtimeNs, ctimeNs })) return true;
  const nowNs = BigInt(Math.trunc(now)) * 1_000_000n;
  return isNear(mtimeNs, nowNs) || isNear(ctimeNs, nowNs);
}

/** Whether the file system seems to store whole seconds only. */
export function isCoarse({ mtimeNs, ctimeNs }: Pick<FileIdentity, 'mtimeNs' | 'ctimeNs'>): boolean {
  return mtimeNs % second === 0n && ctimeNs % second === 0n;
}

function isNear(stamp: bigint, nowNs: bigint): boolean {
  return nowNs - stamp < (stamp % second === 0n ? coarseGranularity : fineGranularity);
}

/**
 * Canonical form of a path: equal for all spellings that any file system treats as one file, by case or by Unicode
 * composition. Locks depend on it, also those of other servers of the same directory: it must never change.
 */
export function oneSpelling(relative: string): string {
  return relative.normalize('NFC').toLowerCase();
}
