/** Memory that clients make the server hold (spec 6). */

export const bytesPerMb = 1_048_576;

/** Limit of incoming bodies and untaken answers together, in bytes. @param maxBytes limit of a file */
export function mostHeld(maxBytes: number): number {
  return Math.max(256 * bytesPerMb, 4 * maxBytes);
}

/**
 * Memory of a waiting call besides its message, in bytes: parameters, promises, a timer, queue entries. Measured with
 * 244,000 calls: 3.1 kB each.
 */
export const callBytes = 4096;

/** Idle time in milliseconds after which memory, threads and cached answers are given back (spec 1.1). */
export const idleMs = 8_000;
