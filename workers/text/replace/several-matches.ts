import { countedIn, isChanged } from '../miss/miss.js';
import { namedLines } from '../search/line-numbers.js';
import type { Rope } from '../search/rope.js';

/**
 * What an edit is told that matches more than once, without `replace_all` (contract 11).
 * @param starts of the matches, which may overlap, in bytes, ascending; `ends` likewise
 */
export function explainMany(rope: Rope, starts: Uint32Array, ends: Uint32Array): string {
  const counted = isChanged(rope) ? ` ${countedIn}` : '';
  const replaced = countApart(starts, ends);
  const which = replaced === starts.length ? 'all of them' : `${replaced} of them, since they overlap`;
  return `Found ${starts.length} matches at lines ${namedLines(rope.pieces, starts)}.${counted} Send more of the text around the one that is meant, so that old_string matches once, or set replace_all to true to replace ${which}.`;
}

/** How many matches there are from left to right, each after the end of the one before. */
function countApart(starts: Uint32Array, ends: Uint32Array): number {
  let count = 0;
  let end = 0;
  for (const [index, start] of starts.entries()) {
    if (start < end) continue;
    count += 1;
    end = ends[index] ?? 0;
  }
  return count;
}
