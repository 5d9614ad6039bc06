import { headOf, sampleOf, type Probe } from './probe.js';
import { twoWaySearch } from './two-way.js';

/**
 * How many times the length of the text may be spent on probes that turn out not to be part of the needle. The first
 * limit is for switching to a search for its head, the second for switching to an algorithm that is linear whatever the
 * bytes are. First bytes of a probe are not counted: at worst they take 14 ns each.
 */
const patience = { probe: 0.25, head: 4 } as const;
/** Checking whether the needle is around a probe takes as long as searching so many bytes. */
const lookBytes = 256;

/**
 * Where `needle`, which is not empty, occurs in `text`, in ascending order.
 *
 * @param overlapping false: from left to right, each after the end of the one before
 * @param most how many are wanted
 */
export function findAll(text: Buffer, needle: Buffer, overlapping: boolean, most = Infinity): number[] {
  const found: number[] = [];
  findEach(text, needle, overlapping, (start) => found.push(start) < most);
  return found;
}

/**
 * As findAll, but nothing is kept: a large text may hold a short string millions of times.
 *
 * Ordinary text takes 0.01 to 0.3 ms per MB. Text made to take long, such as a run of one letter, takes time that grows
 * only with the lengths, not with their product.
 *
 * @param found receives where each occurrence begins. @returns whether it wants more of them
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

/** @returns where to go on once patience has run out; undefined if everything wanted has been found */
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

/** How often `needle`, which is not empty, occurs in `text`; occurrences may overlap. Nothing is kept of them. */
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
