/** The longest file name. */
const mostCharacters = 256;

/** Reused: one call may compare a name with 10,000 others. */
const rows = {
  beforeLast: new Uint8Array(mostCharacters + 1),
  last: new Uint8Array(mostCharacters + 1),
  row: new Uint8Array(mostCharacters + 1),
};

/**
 * Edit distance by optimal string alignment: insertions, deletions, replacements and swaps of neighbours. Common
 * prefixes and suffixes are skipped, and only cells near the diagonal are filled: the names in a directory are often
 * long and nearly equal.
 * @param enough at most 255
 * @returns `enough` if there are that many or more
 */
export function distance(a: string, b: string, enough: number): number {
  if (Math.abs(a.length - b.length) >= enough || Math.max(a.length, b.length) > mostCharacters) return enough;
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let same = 0;
  while (same < shorter - start && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same)) same++;
  return between(a.slice(start, a.length - same), b.slice(start, b.length - same), enough);
}

function between(a: string, b: string, enough: number): number {
  let { beforeLast, last, row } = rows;
  const most = enough - 1;
  for (let j = 0; j <= b.length && j <= enough; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const char = a.charCodeAt(i - 1);
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    let least = (row[from - 1] = from === 1 ? Math.min(i, enough) : enough);
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1);
      let slips = (last[j - 1] ?? 0) + (char === other ? 0 : 1);
      slips = Math.min(slips, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && char === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other) {
        slips = Math.min(slips, (beforeLast[j - 2] ?? 0) + 1);
      }
      row[j] = Math.min(slips, enough);
      least = Math.min(least, slips);
    }
    row[to + 1] = enough;
    // No later row is lower: a swap adds one to the row before the last, which is at best one lower.
    if (least >= enough) return enough;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[b.length] ?? 0;
}
