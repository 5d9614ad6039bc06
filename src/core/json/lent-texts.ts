/** The large texts of a body are in its memory, which is used again when the last call with one of them has ended. */
import { giveBodyMemory } from '../memory/bodies.js';
import type { Parsed, Unread } from './json-body.js';
import { largeTextsIn, type LargeText } from './large-text.js';
import { inSharedMemory } from '../memory/shared.js';

/** The texts by their memory that calls have not given back yet. */
const lent = new WeakMap<SharedArrayBuffer, Set<LargeText>>();

/**
 * A body has been read, nobody is at work on it any more, and nobody will look at it in a later turn of the event loop.
 * Each of the texts in it becomes a parameter of one call at most. One that never gets there, as of a method that does
 * not exist, or that stays with a thread that has died, leaves the memory to the collector.
 */
export function lendBody(bytes: Buffer, read: Parsed | Unread): void {
  if (!inSharedMemory(bytes)) return;
  const texts = read.ok ? largeTextsIn(read.value) : [];
  if (texts.length === 0) giveBodyMemory(bytes.buffer);
  else lent.set(bytes.buffer, new Set(texts));
}

/** A call with these parameters has ended, or was refused: no thread looks at them any more. */
export function giveTexts(params: unknown): void {
  for (const text of largeTextsIn(params)) {
    const texts = lent.get(text.buffer);
    if (texts?.delete(text) !== true || texts.size > 0) continue;
    lent.delete(text.buffer);
    giveBodyMemory(text.buffer);
  }
}
