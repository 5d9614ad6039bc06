/** Where a text is in another one, byte by byte; occurrences may overlap. */

/** Above this, in bytes, the search of Node could take the product of both lengths. */
const longPattern = 1_024;

/** Where a pattern begins for the first and for the second time; -1 if it does not. @param pattern not empty */
export function secondOccurrence(text: Buffer, pattern: Buffer): { readonly first: number; readonly second: number } {
  if (pattern.length > longPattern) {
    const [first = -1, second = -1] = take(occurrences(text, pattern), 2);
    return { first, second };
  }
  const first = text.indexOf(pattern);
  return { first, second: first === -1 ? -1 : text.indexOf(pattern, first + 1) };
}

/** How often a pattern begins in a text. @param pattern not empty */
export function countOccurrences(text: Buffer, pattern: Buffer): number {
  let count = 0;
  for (const found = occurrences(text, pattern); found.next().done !== true;) count++;
  return count;
}

/** Knuth, Morris and Pratt: as long as both texts, whatever is in them. */
function* occurrences(text: Buffer, pattern: Buffer): Generator<number> {
  const borders = bordersOf(pattern);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    while (matched > 0 && text[at] !== pattern[matched]) matched = borders[matched - 1] ?? 0;
    if (text[at] === pattern[matched]) matched++;
    if (matched < pattern.length) continue;
    yield at + 1 - matched;
    matched = borders[matched - 1] ?? 0;
  }
}

/** For each length of a beginning of the pattern, how long its longest beginning is that it also ends with. */
function bordersOf(pattern: Buffer): Int32Array {
  const borders = new Int32Array(pattern.length);
  let length = 0;
  for (let at = 1; at < pattern.length; at++) {
    while (length > 0 && pattern[at] !== pattern[length]) length = borders[length - 1] ?? 0;
    if (pattern[at] === pattern[length]) length++;
    borders[at] = length;
  }
  return borders;
}

function take<Item>(items: Generator<Item>, count: number): Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}
