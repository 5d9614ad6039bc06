import { isUtf8 } from 'node:buffer';
import type { LargeText } from '../schemas.js';
import { leastShared } from '../memory/bodies.js';
import { inSharedMemory } from '../memory/shared.js';

export type { LargeText } from '../schemas.js';

/** Strings of more bytes than this can be large texts. */
export const leastLargeText = leastShared;

/**
 * Most objects and arrays around a large text: those of an edit in a message of MCP, or in a batch (kernel/extent.ts).
 */
export const deepestLargeText = 6;

/** Whether a value of a request is a text that parseJson has left as bytes. */
export function isLargeText(value: unknown): value is LargeText {
  return value instanceof Uint8Array && inSharedMemory(value);
}

/** @param depth of the objects and lists that are looked into */
export function largeTextsIn(value: unknown, depth = deepestLargeText): LargeText[] {
  if (isLargeText(value)) return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((member) => (typeof member === 'object' ? largeTextsIn(member, depth - 1) : []));
}

/** False if it contains a lone surrogate. */
export function isWellFormed(text: string | LargeText): boolean {
  return typeof text === 'string' ? text.isWellFormed() : isUtf8(text);
}

/** A text of a request in UTF-8, which must not be written to. */
export function bytesOf(text: string | LargeText): Buffer {
  return isLargeText(text) ? Buffer.from(text.buffer, text.byteOffset, text.byteLength) : Buffer.from(text);
}
