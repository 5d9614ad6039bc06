/** Large texts are views of their body's memory, which is reused once the last call with one of them has ended. */
import { giveBodyMemory } from '../memory/bodies.js';
import type { Parsed, Unread } from './json-body.js';
import { largeTextsIn, type LargeText } from './large-text.js';
import { inSharedMemory } from '../memory/shared.js';

/** Texts still in use by calls, by their memory. */
const lent = new WeakMap<SharedArrayBuffer, Set<LargeText>>();

/**
 * Transfer the memory of a parsed body to its texts. No code may use the body after this turn of the event loop. Each
 * text becomes a parameter of at most one call. The memory of a text that never reaches a call, as for an unknown
 * method, or that stays with a dead thread, is left to the garbage collector.
 */
export function lendBody(bytes: Buffer, read: Parsed | Unread): void {
  if (!inSharedMemory(bytes)) return;
  const texts = read.ok ? largeTextsIn(read.value) : [];
  if (texts.length === 0) giveBodyMemory(bytes.buffer);
  else lent.set(bytes.buffer, new Set(texts));
}

/** Release the texts of a call that has ended or was refused: no thread may use them any more. */
export function giveTexts(params: unknown): void {
  for (const text of largeTextsIn(params)) {
    const texts = lent.get(text.buffer);
    if (texts?.delete(text) !== true || texts.size > 0) continue;
    lent.delete(text.buffer);
    giveBodyMemory(text.buffer);
  }
}
