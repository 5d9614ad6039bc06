/** Tells a model where the new text of an edit is. */
import { lineNumbers } from './find/line-numbers.js';
import { untouched } from './rope/piece.js';

/** Each costs a model tokens. */
const mostNamed = 20;
/** How many different lines of each edit `placesOfEdits` needs to name the first ones and say that there are more. */
export const enoughLines = mostNamed + 1;

/**
 * @param before everything before the new text in the file
 * @param after everything after it
 * @returns `line 12` or `lines 12-14`; for an empty text, the line where it would be
 */
export function placeOfText(before: readonly Buffer[], added: Buffer, after: Buffer): string {
  const start = before.reduce((sum, { length }) => sum + length, 0);
  const pieces = [...before, added, after].map((part) => untouched(part));
  // One more byte, so the end of the file has a line too.
  pieces.push(untouched(Buffer.alloc(1)));
  const [first = 1, last = first] = lineNumbers(pieces, [start, start + Math.max(0, added.length - 1)], 2);
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

/**
 * @param lines in any order, each once
 * @returns `line 7` or `lines 3, 9, 42`, ascending; undefined if there are none
 */
export function placesOfEdits(lines: ReadonlySet<number>): string | undefined {
  if (lines.size === 0) return undefined;
  const ascending = [...lines].sort((a, b) => a - b);
  const named = ascending.slice(0, mostNamed).join(', ');
  const more = ascending.length > mostNamed ? ', …' : '';
  return `${ascending.length === 1 ? 'line' : 'lines'} ${named}${more}`;
}
