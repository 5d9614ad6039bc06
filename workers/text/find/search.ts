import { headOf, sampleOf, type Probe } from './probe.js';
import { twoWaySearch } from './two-way.js';

/**
 * Budget for probes that turn out not to be part of the needle, as a multiple of the text's length. Beyond the first
 * limit, search for the needle's head; beyond the second, use an algorithm that is linear for any input. First bytes of
 * a probe are not counted: at worst they take 14 ns each.
 */
const patience = { probe: 0.25, head: 4 } as const;
/** Checking for the needle around a probe takes as long as searching this many bytes. */
const lookBytes = 256;

/**
 * The offsets of the non-empty `needle` in `text`, in ascending order.
 *
 * @param overlapping false: from left to right, without overlap
 * @param most how many are wanted
 */
export function findAll(text: Buffer, needle: Buffer, overlapping: boolean, most = Infinity): number[] {
  const found: number[] = [];
  findEach(text, needle, overlapping, (start) => found.push(start) < most);
  return found;
}

/**
 * Like findAll, but without storing results: a large text may contain a short string millions of times.
 *
 * Ordinary text takes 0.01 to 0.3 ms per MB. For adversarial text, such as a run of one letter, the time grows only
 * with the sum of the lengths, not with their product.
 *
 * @param found receives the start of each occurrence. @returns whether to continue
 * @param probe of the needle
 */
export function findEach(
  text: Buffer,
  needle: Buffer,
  overlapping: boolean,
  found: (start: number) => boolean,
  probe: Probe = sampleOf(text)?.probeOf(needle) ?? headOf(needle),
): void {
  const search: Search = { text, needle, overlapping, found };
  let next = scan(search, probe, 0, patience.probe);
  if (next !== undefined) next = scan(search, headOf(needle), next, patience.head);
  if (next !== undefined) searchOn(search, next);
}

interface Search {
  readonly text: Buffer;
  readonly needle: Buffer;
  readonly overlapping: boolean;
  readonly found: (start: number) => boolean;
}

/** @returns where to continue once the budget is spent; undefined if everything wanted has been found */
function scan(
  { text, needle, overlapping, found }: Search,
  { bytes, at }: Probe,
  from: number,
  share: number,
): number | undefined {
  const step = overlapping ? 1 : needle.length;
  const isWhole = bytes.length === needle.length;
  let left = share * text.length;
  for (let place = text.indexOf(bytes, from + at); place !== -1;) {
    const start = place - at;
    const end = start + needle.length;
    if (end > text.length) return undefined;
    const matches = isWhole || text.compare(needle, 0, needle.length, start, end) === 0;
    if (matches && !found(start)) return undefined;
    const next = start + (matches ? step : 1);
    if (!isWhole && (overlapping || !matches)) left -= needle.length + lookBytes;
    if (left < 0) return next;
    place = text.indexOf(bytes, next + at);
  }
  return undefined;
}

/** The number of occurrences of the non-empty `needle` in `text`, overlapping ones included. Stores nothing. */
export function countAll(text: Buffer, needle: Buffer): number {
  let count = 0;
  twoWaySearch(text, needle, 0, () => {
    count += 1;
  });
  return count;
}

function searchOn({ text, needle, overlapping, found }: Search, from: number): void {
  let next = from;
  twoWaySearch(text, needle, from, (start) => {
    if (start < next) return;
    if (!found(start)) next = Infinity;
    else if (!overlapping) next = start + needle.length;
  });
}
