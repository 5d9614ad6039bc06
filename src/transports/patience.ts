/** How long a listener waits for its clients, all in milliseconds. */
export interface Patience {
  /** How often clients that have to get on are looked at. */
  readonly sweepMs: number;
  /** A client that sends nothing more of a body is cut off after this; within 15 s (contract 7). */
  readonly sendStallMs: number;
  /** For a whole body, however steadily it drips. */
  readonly longestUploadMs: number;
  /** A client that takes nothing of its answer is cut off after this; within 45 s (contract 7). */
  readonly takeStallMs: number;
  /** The same while others wait for the memory that it holds. */
  readonly takeStallUnderPressureMs: number;
  /** How often the system's queues are looked at, at most (send-queues.ts). */
  readonly lookMs: number;
}

/**
 * The last byte may have been taken just behind a look: it is noticed one look and one sweep later, the stall lasts
 * from then to the first look behind its end. 3 + 1 + 38 + 1 s leave room to the 45 s.
 */
export const usualPatience: Patience = {
  sweepMs: 1000,
  sendStallMs: 10_000,
  longestUploadMs: 300_000,
  takeStallMs: 38_000,
  takeStallUnderPressureMs: 10_000,
  lookMs: 3000,
};

/** Milliseconds for the answers under way when a listener is closed. */
export const closeGraceMs = 1000;

/** Milliseconds that the rest of a refused body is read and dropped: closing at once would reset the connection before the answer was read. */
export const lingerMs = 1000;

/** Bytes of the same. */
export const maxLingerBytes = 16 * 1_048_576;
