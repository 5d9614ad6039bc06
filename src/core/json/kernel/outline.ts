import { CUTS, LEVELS, MOST_CUTS } from './memory';

/** How many values a level may have to be outlined; an envelope has a handful. */
const MOST_VALUES: u32 = 1_000;

/** By level, in memory of their own: commas at that depth, and cuts that are kept. */
const COMMAS = memory.data(16);
const LENGTHS = memory.data(16);

export function startOutlines(): void {
  memory.fill(COMMAS, 0, 16);
  memory.fill(LENGTHS, 0, 16);
}

/** @param depth how many containers are open, here and below */
export function noteComma(depth: u32): void {
  if (depth <= LEVELS) store<u32>(COMMAS + depth * 4, load<u32>(COMMAS + depth * 4) + 1);
}

/** @param depth before it was opened */
export function noteOpen(at: u32, depth: u32): void {
  if (depth > 0 && depth <= LEVELS && !isCrowded(depth)) cut(depth, at);
}

/** @param depth after it was closed */
export function noteClose(at: u32, depth: u32): void {
  if (depth <= LEVELS && (cuts(depth) & 1) == 1) cut(depth, at + 1);
}

/** Whether a level, with those above it, has too many values; or would need too many cuts, as without commas. */
export function isCrowded(level: u32): bool {
  let values: u32 = 1;
  for (let depth: u32 = 0; depth <= level; depth++) {
    values += load<u32>(COMMAS + depth * 4);
    if (cuts(depth) >= MOST_CUTS - 1) return true;
  }
  return values > MOST_VALUES;
}

export function cuts(level: u32): u32 {
  return load<u32>(LENGTHS + level * 4);
}

function cut(level: u32, at: u32): void {
  const length = cuts(level);
  store<u32>(CUTS + (level * MOST_CUTS + length) * 4, at);
  store<u32>(LENGTHS + level * 4, length + 1);
}
