/** How large an answer may be: what is set aside for its call (spec 6, src/memory/held.ts). */
import type { Context } from './handler.js';
import { mostMessageBytes, type Unheld } from './task.js';

/** A text grows as JSON or base64. Control characters grow sixfold, which is only noticed while the answer is made. */
const growth = 1.5;
/** For the members beside the text, in bytes. */
const members = 1024;

/** How much of a text an answer can use, in bytes of JSON: the front cuts the rest. */
export function mostOf({ model }: Pick<Context, 'model'>): number {
  return model !== undefined ? mostMessageBytes : Infinity;
}

/** The answer does not fit and is dropped, or not even made. The call runs again once it has room for `bytes`. */
class NeedsRoom extends Error {
  constructor(readonly bytes: number) {
    super(`the answer needs room for ${String(bytes)} bytes`);
  }
}

/**
 * Before a whole file is read: the size already tells that its answer will not fit.
 * @param size in bytes
 * @throws NeedsRoom
 */
export function assertRoomFor({ room = Infinity }: Pick<Context, 'room'>, size: number): void {
  if (size > room) throw new NeedsRoom(growth * size + members);
}

/**
 * As soon as the length of an answer is known, and before anything is written.
 * @throws NeedsRoom
 */
export function assertFits({ room = Infinity }: Pick<Context, 'room'>, bytes: number): void {
  if (bytes > room) throw new NeedsRoom(bytes + members);
}

/** The answer to a call that needs more room; undefined if that is not what the error says. */
export function unheld(error: unknown): Unheld | undefined {
  return error instanceof NeedsRoom ? { ok: null, needs: error.bytes } : undefined;
}
