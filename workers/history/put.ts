/** What a change put into a file: enough to rebuild the new bytes from the old ones (spec 18). */
import { isUtf8 } from 'node:buffer';
import { ComparedText } from '../text/edit/compared-text.js';
import { release, wholeOf, type Text } from '../text/scattered-text.js';

/** Ranges of the old bytes, in order, and what replaced each; the last member says that it is base64, not text. */
export type Put = readonly (readonly [start: number, end: number, text: string, isBase64?: true])[];

/** Limit on what is kept for a change, in bytes. */
export const mostPut = 65_536;

/** @returns undefined if it is more than `mostPut` */
export function putOf(old: Buffer, text: Text): Put | undefined {
  if (text.length - old.length > mostPut) return undefined;
  const bytes = wholeOf(text);
  try {
    const put: Put[number][] = [];
    let size = 0;
    for (const { oldStart, oldEnd, newStart, newEnd } of new ComparedText(old, bytes).changes()) {
      size += newEnd - newStart;
      if (size > mostPut) return undefined;
      const piece = bytes.subarray(newStart, newEnd);
      put.push(
        isUtf8(piece) ? [oldStart, oldEnd, piece.toString()] : [oldStart, oldEnd, piece.toString('base64'), true],
      );
    }
    return put;
  } finally {
    if (bytes !== text) release(bytes);
  }
}

/** In characters of its texts. */
export function sizeOf(put: Put): number {
  return put.reduce((sum, [, , text]) => sum + text.length, 0);
}

/** The new bytes. */
export function withPut(old: Buffer, put: Put): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const [start, end, text, isBase64] of put) {
    parts.push(old.subarray(at, start), Buffer.from(text, isBase64 === true ? 'base64' : 'utf8'));
    at = end;
  }
  return Buffer.concat([...parts, old.subarray(at)]);
}
