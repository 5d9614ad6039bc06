/** How long a listener waits for its clients, everything in milliseconds. */
export interface Patience {
  /** How often clients that must make progress are checked. */
  readonly sweepMs: number;
  /** A client that sends nothing more of a body is cut off after this; at most 15 s (spec 7). */
  readonly sendStallMs: number;
  /** For a whole body, however steadily it trickles in. */
  readonly longestUploadMs: number;
  /** A client that takes nothing of its answer is cut off after this; at most 45 s (spec 7). */
  readonly takeStallMs: number;
  /** The same while others wait for the memory that it holds. */
  readonly takeStallUnderPressureMs: number;
  /** The least time between two looks at the system's queues (send-queues.ts). */
  readonly lookMs: number;
}

/**
 * The last byte may be taken just after a look, which is noticed one look and one sweep later; the stall counts from
 * then to the first look after its end. 3 + 1 + 38 + 1 s stay below 45 s.
 */
export const usualPatience: Patience = {
  sweepMs: 1000,
  sendStallMs: 10_000,
  longestUploadMs: 300_000,
  takeStallMs: 38_000,
  takeStallUnderPressureMs: 10_000,
  lookMs: 3000,
};

/** For the answers under way when a listener is closed. */
export const closeGraceMs = 1000;

/**
 * How long the rest of a refused body is read and dropped: closing at once would reset the connection before the client
 * has read the answer.
 */
export const lingerMs = 1000;

/** How many bytes of it are. */
export const maxLingerBytes = 64 * 1_048_576;
