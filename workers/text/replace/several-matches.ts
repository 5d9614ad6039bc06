import { countedIn, isChanged } from '../miss/miss.js';
import { namedLines } from '../search/line-numbers.js';
import type { Rope } from '../search/rope.js';
import type { Spans } from '../search/spans.js';

/**
 * What an edit is told that matches more than once, without `replace_all` (spec 11).
 * @param matches which may overlap
 */
export function explainMany(rope: Rope, matches: Spans): string {
  const counted = isChanged(rope) ? ` ${countedIn}` : '';
  const replaced = countApart(matches);
  const which = replaced === matches.length ? 'all of them' : `${replaced} of them, since they overlap`;
  return `Found ${matches.length} matches at lines ${namedLines(rope.pieces, matches.starts)}.${counted} Send more of the text around the one that is meant, so that old_string matches once, or set replace_all to true to replace ${which}.`;
}

/** How many matches there are from left to right, each after the end of the one before. */
function countApart(matches: Spans): number {
  let count = 0;
  let end = 0;
  for (let index = 0; index < matches.length; index++) {
    if (matches.startAt(index) < end) continue;
    count += 1;
    end = matches.endAt(index);
  }
  return count;
}
