/**
 * What tells one version of a file from another without reading it. Plain data, since it crosses the thread border.
 * This file imports nothing: both sides stand on it.
 */
export interface FileIdentity {
  readonly dev: bigint;
  /** Exceeds 2^53 on some file systems, as do the rest. */
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** Whether both are the same version, provided that its time stamps were not doubtful when it was read (`isDoubtful`). */
export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

/** Without the rest of what stat tells, which would only be copied from thread to thread. */
export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: FileIdentity): FileIdentity {
  return { dev, ino, size, mtimeNs, ctimeNs };
}

/**
 * Kernels stamp files once per tick, 1–10 ms, and when a write begins. So a later write could leave the stamps as they
 * are, and so could the rest of one that was under way: 100 ms leave room for it to end.
 */
const fineGranularity = 100_000_000n;
/** One stamp in whole seconds may be all that a write changes: FAT counts in two, and has the time of creation for ctime. */
const coarseGranularity = 2_100_000_000n;
const second = 1_000_000_000n;

/**
 * Whether an equal identity proves nothing: a later write could leave the time stamps as they are, since they are young
 * (git: "racily clean"), or since the file system knows no fractions of a second. No age is enough there: MooseFS 3 shows
 * to other hosts the stamps of a write up to 0.9 s after its file was closed (measured), when its bytes can long be read.
 * @param now milliseconds since 1970, taken before the bytes were read
 */
export function isDoubtful({ mtimeNs, ctimeNs }: FileIdentity, now: number): boolean {
  if (isCoarse({ mtimeNs, ctimeNs })) return true;
  const nowNs = BigInt(Math.trunc(now)) * 1_000_000n;
  return isNear(mtimeNs, nowNs) || isNear(ctimeNs, nowNs);
}

/** Whether the file system seems to know no fractions of a second. */
export function isCoarse({ mtimeNs, ctimeNs }: Pick<FileIdentity, 'mtimeNs' | 'ctimeNs'>): boolean {
  return mtimeNs % second === 0n && ctimeNs % second === 0n;
}

function isNear(stamp: bigint, nowNs: bigint): boolean {
  return nowNs - stamp < (stamp % second === 0n ? coarseGranularity : fineGranularity);
}
