/** The identity of files, by their stats and by their paths. It imports nothing, so that both sides of the thread border can import it. */

/** What tells one file from another. */
interface FileNumbers {
  readonly dev: bigint;
  /** Exceeds 2^53 on some file systems, as do all members of an identity. */
  readonly ino: bigint;
}

/** What tells one version of a file from another without reading it. Plain data, since it crosses the thread border. */
export interface FileIdentity extends FileNumbers {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/**
 * Whether both are the same version, provided that its time stamps were not doubtful (`isDoubtful`) when it was read.
 */
export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

/** Whether both are the same file, whatever is in it by now. False if one is not there. */
export function isSameFile(a: FileNumbers | undefined, b: FileNumbers | undefined): boolean {
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** Without the other members of stat, which would be copied from thread to thread for nothing. */
export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: FileIdentity): FileIdentity {
  return { dev, ino, size, mtimeNs, ctimeNs };
}

/**
 * Kernels stamp files once per tick, 1 to 10 ms, and when a write begins. So a later write, or the rest of one under
 * way, may leave the stamps unchanged: 100 ms give it time to end.
 */
const fineGranularity = 100_000_000n;
/**
 * A stamp in whole seconds may be the only thing that a write changes: FAT has steps of two seconds, and its ctime is
 * the time of creation.
 */
const coarseGranularity = 2_100_000_000n;
const second = 1_000_000_000n;

/**
 * Whether an equal identity proves nothing: a later write could leave the time stamps unchanged, either because they
 * are young (git: "racily clean") or because the file system has no fractions of a second. In the latter case no age is
 * enough: MooseFS 3 shows a write's stamps to other hosts up to 0.9 s after its file was closed (measured), long after
 * its bytes.
 * @param now milliseconds since 1970, taken before the bytes were read
 */
export function isDoubtful({ mtimeNs, ctimeNs }: FileIdentity, now: number): boolean {
  if (isCoarse({ mtimeNs, ctimeNs })) return true;
  const nowNs = BigInt(Math.trunc(now)) * 1_000_000n;
  return isNear(mtimeNs, nowNs) || isNear(ctimeNs, nowNs);
}

/** Whether the file system seems to have no fractions of a second. */
export function isCoarse({ mtimeNs, ctimeNs }: Pick<FileIdentity, 'mtimeNs' | 'ctimeNs'>): boolean {
  return mtimeNs % second === 0n && ctimeNs % second === 0n;
}

function isNear(stamp: bigint, nowNs: bigint): boolean {
  return nowNs - stamp < (stamp % second === 0n ? coarseGranularity : fineGranularity);
}

/**
 * One form for all spellings of a path that some file system takes for one file: without case, accents composed. Locks
 * depend on it, and so do other servers of the same directory: it must not change.
 */
export function oneSpelling(relative: string): string {
  return relative.normalize('NFC').toLowerCase();
}
