/** Memory that clients make the server hold (spec 6). */

export const bytesPerMb = 1_048_576;

/** Bodies being received and answers not taken yet, all together, in bytes. @param maxBytes limit of a file */
export function mostHeld(maxBytes: number): number {
  return Math.max(256 * bytesPerMb, 4 * maxBytes);
}

/**
 * What a call that waits holds beside its message, in bytes: parameters, promises, a timer, places in queues. Measured
 * with 244,000 calls: 3.1 kB each.
 */
export const callBytes = 4096;

/** What nobody has used for so long is given back: memory, threads, kept answers. In milliseconds (spec 1.1). */
export const idleMs = 8_000;
