/** Up to this many bytes, a loop copies faster than a call, which leaves an object behind. */
const mostByLoop = 64;

/**
 * Copy the bytes of a source from `start` to `end` to a place in a target, which has room for them.
 * @returns how many they are
 */
export function copyPart(source: Buffer, start: number, end: number, target: Buffer, place: number): number {
  if (end - start > mostByLoop) return source.copy(target, place, start, end);
  for (let from = start, to = place; from < end; from++) target[to++] = source[from] ?? 0;
  return end - start;
}
