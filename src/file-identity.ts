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

/** Whether both are the same version, provided that its time stamps were not young when it was read (`isYoung`). */
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
/** A whole second suggests a file system that knows no fractions (MooseFS, some NFS); FAT counts in two seconds. */
const coarseGranularity = 2_100_000_000n;
const second = 1_000_000_000n;

/**
 * Whether time stamps are so young that a later write could leave them as they are (git: "racily clean"). Then an equal
 * identity proves nothing.
 * @param now milliseconds since 1970, taken before the bytes were read
 */
export function isYoung({ mtimeNs, ctimeNs }: FileIdentity, now: number): boolean {
  const nowNs = BigInt(Math.trunc(now)) * 1_000_000n;
  return isNear(mtimeNs, nowNs) || isNear(ctimeNs, nowNs);
}

function isNear(stamp: bigint, nowNs: bigint): boolean {
  return nowNs - stamp < (stamp % second === 0n ? coarseGranularity : fineGranularity);
}
