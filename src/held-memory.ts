/** Memory that clients make the server hold (contract 6). */

const bytesPerMb = 1_048_576;

/** Bodies that are being received and answers that are not taken yet, all together, in bytes. @param maxBytes limit of a file */
export function mostHeld(maxBytes: number): number {
  return Math.max(256 * bytesPerMb, 4 * maxBytes);
}

/** What is put aside for the answer of a read before anybody knows how large it is. */
export interface AnswerRoom {
  /** For an answer of up to so many. */
  readonly bytes: number;
  /** Give it back, and wait until there is room for so many. */
  enlarge(bytes: number): Promise<AnswerRoom>;
}
