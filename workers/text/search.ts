import { twoWaySearch } from './two-way.js';

/** Bytes of a needle that are left to the native search: at worst it takes so many times as long as the text is. */
const mostNative = 64;
/** How many times the length of the text may be spent on beginnings of the needle that do not go on as it does. */
const patience = 4;

/**
 * Where `needle`, which is not empty, occurs in `text`, in ascending order.
 *
 * @param overlapping false: from left to right, each behind the end of the one before
 * @param most how many are wanted
 */
export function findAll(text: Buffer, needle: Buffer, overlapping: boolean, most = Infinity): number[] {
  const found: number[] = [];
  findEach(text, needle, overlapping, (start) => found.push(start) < most);
  return found;
}

/**
 * As findAll, with nothing kept: a large text may hold a short string millions of times.
 *
 * Ordinary text is searched at 0.2 to 0.6 ms for 1 MB; text that is made to take long, such as a run of one letter,
 * in time that grows with the lengths only, not with their product.
 *
 * @param found is told where each begins. @returns whether it wants more of them
 */
export function findEach(text: Buffer, needle: Buffer, overlapping: boolean, found: (start: number) => boolean): void {
  const head = needle.length > mostNative ? needle.subarray(0, mostNative) : needle;
  const step = overlapping ? 1 : needle.length;
  let left = patience * text.length;
  for (let start = text.indexOf(head); start !== -1 && start + needle.length <= text.length;) {
    const matches = head === needle || goesOn(text, needle, start);
    if (matches && !found(start)) return;
    const next = start + (matches ? step : 1);
    if (head !== needle && (overlapping || !matches)) left -= needle.length;
    if (left < 0) {
      searchOn(text, needle, next, overlapping, found);
      return;
    }
    start = text.indexOf(head, next);
  }
}

/** How often `needle`, which is not empty, occurs in `text`; occurrences may overlap. Nothing is kept of them. */
export function countAll(text: Buffer, needle: Buffer): number {
  let count = 0;
  twoWaySearch(text, needle, 0, () => {
    count += 1;
  });
  return count;
}

function goesOn(text: Buffer, needle: Buffer, start: number): boolean {
  return text.compare(needle, mostNative, needle.length, start + mostNative, start + needle.length) === 0;
}

function searchOn(
  text: Buffer,
  needle: Buffer,
  from: number,
  overlapping: boolean,
  found: (start: number) => boolean,
): void {
  let next = from;
  twoWaySearch(text, needle, from, (start) => {
    if (start < next) return;
    if (!found(start)) next = Infinity;
    else if (!overlapping) next = start + needle.length;
  });
}
