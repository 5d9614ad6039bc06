/** How large the answer of a read may be: what its call has put aside for it (contract 6, src/held-memory.ts). */
import type { Context } from './handler.js';

/** A text becomes longer as JSON, or as base64; control characters six times as long, which is noticed when it is made. */
const growth = 1.5;
/** For the members beside the text, in bytes. */
const members = 1024;

/** The answer does not fit, so it is dropped or not even made; the call is run again when it has room for `bytes`. */
export class NeedsRoom extends Error {
  constructor(readonly bytes: number) {
    super(`the answer needs room for ${String(bytes)} bytes`);
  }
}

/**
 * Before a whole file is read: its size tells that the answer will not fit.
 * @param size in bytes
 * @throws NeedsRoom
 */
export function assertRoomFor({ room = Infinity }: Pick<Context, 'room'>, size: number): void {
  if (size > room) throw new NeedsRoom(growth * size + members);
}

/**
 * When it is made, in bytes.
 * @throws NeedsRoom
 */
export function assertFits({ room = Infinity }: Pick<Context, 'room'>, bytes: number): void {
  if (bytes > room) throw new NeedsRoom(bytes + members);
}
