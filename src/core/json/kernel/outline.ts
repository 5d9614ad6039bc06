import { CUTS, LEVELS, MOST_CUTS } from './memory';

/** Most values of a level that is outlined; an envelope has a handful. */
const MOST_VALUES: u32 = 1_000;

/** Per level: commas at that depth, and number of cuts. */
const COMMAS = memory.data(16);
const LENGTHS = memory.data(16);

export function startOutlines(): void {
  memory.fill(COMMAS, 0, 16);
  memory.fill(LENGTHS, 0, 16);
}

/** @param depth number of open containers, also in the functions below */
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

/** Whether a level, with those above it, has too many values, or too many cuts, as in a text without commas. */
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
