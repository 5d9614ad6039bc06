import { isUtf8 } from 'node:buffer';
import type { LargeText } from '../schemas.js';
import { leastShared } from '../memory/bodies.js';
import { inSharedMemory } from '../memory/shared.js';

export type { LargeText } from '../schemas.js';

/** A large text has more bytes than this. */
export const leastLargeText = leastShared;

/** Most containers around a large text: those of an edit in an MCP message or a batch (kernel/extent.ts). */
export const deepestLargeText = 6;

/** Whether a value is a text that parseJson has kept as bytes. */
export function isLargeText(value: unknown): value is LargeText {
  return value instanceof Uint8Array && inSharedMemory(value);
}

/** @param depth levels of containers to search */
export function largeTextsIn(value: unknown, depth = deepestLargeText): LargeText[] {
  if (isLargeText(value)) return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((member) => (typeof member === 'object' ? largeTextsIn(member, depth - 1) : []));
}

/** False if it contains a lone surrogate. */
export function isWellFormed(text: string | LargeText): boolean {
  return typeof text === 'string' ? text.isWellFormed() : isUtf8(text);
}

/** A text of a request in UTF-8. Read-only: it may be shared. */
export function bytesOf(text: string | LargeText): Buffer {
  return isLargeText(text) ? Buffer.from(text.buffer, text.byteOffset, text.byteLength) : Buffer.from(text);
}
