/** Time-outs for clients, in milliseconds. */
export interface Patience {
  /** How often clients that must make progress are checked. */
  readonly sweepMs: number;
  /** Cut off a client that sends no more of its body; at most 15 s (spec 7). */
  readonly sendStallMs: number;
  /** Limit for a whole body, however steadily it arrives. */
  readonly longestUploadMs: number;
  /** Cut off a client that reads nothing of its answer; at most 45 s (spec 7). */
  readonly takeStallMs: number;
  /** The same while other requests wait for memory. */
  readonly takeStallUnderPressureMs: number;
  /** Minimum interval between reads of the system's queues (send-queues.ts). */
  readonly lookMs: number;
}

/**
 * The client may take its last byte just after a read of the queues, which is noticed one read and one sweep later; the
 * stall then lasts until the first sweep after its end. 3 + 1 + 38 + 1 s stay below 45 s.
 */
export const usualPatience: Patience = {
  sweepMs: 1000,
  sendStallMs: 10_000,
  longestUploadMs: 300_000,
  takeStallMs: 38_000,
  takeStallUnderPressureMs: 10_000,
  lookMs: 3000,
};

/** For answers in progress when a listener closes. */
export const closeGraceMs = 1000;

/**
 * How long the rest of a refused body is read and discarded: closing immediately would reset the connection before the
 * client has read the answer.
 */
export const lingerMs = 1000;

/** Most bytes discarded. */
export const maxLingerBytes = 64 * 1_048_576;
